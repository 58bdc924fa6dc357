/** The check that found the damage. */
export type DamageFinder = 'start' | 'fold' | 'read' | 'rebuild' | 'scrub' | 'sample' | 'proof' | 'signer' | 'drop';

/**
 * A difference from what was signed. `kind`: `log`: a record is missing or does not match its leaf; `checkpoints`: stored checkpoints do
 * not continue each other; `rows`: a row of the store differs from the log; `keys`: a key of an erased subject reappeared.
 */
export interface FoundDamage {
  kind: 'log' | 'checkpoints' | 'rows' | 'keys';
  found_by: DamageFinder;
  /** The position on the log; for `log`, and for `rows` if known. */
  topic?: string;
  partition?: number;
  /** The affected range of offsets, inclusive; for `log`. */
  first_offset?: number;
  last_offset?: number;
  /** The generation of the tree that judged the records; default 1. */
  generation?: number;
  /** The tenant of a row or key. Damage of the log affects the tenants of its lane. */
  tenant_id?: string;
  /** One sentence: the difference, and how to fix it. */
  reason: string;
}

/** Receives damage. The same damage may be reported repeatedly; the receiver records it once. Never throws, never waits. */
export interface DamageReport {
  /** @returns false if an operator accepted these records as they are. */
  found(damage: FoundDamage): boolean;
}
