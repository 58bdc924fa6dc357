/** Who looked when something was found that is not what was signed. */
export type DamageFinder = 'start' | 'fold' | 'read' | 'rebuild' | 'scrub' | 'sample' | 'proof' | 'signer' | 'drop';

/**
 * A place of the record that is not what was signed. `kind`:
 * `log` a record is missing or is another than its leaf; `checkpoints` kept checkpoints do not lead to one another;
 * `rows` a row of the store differs from the log; `keys` a key of an erased subject reappeared.
 */
export interface FoundDamage {
  kind: 'log' | 'checkpoints' | 'rows' | 'keys';
  found_by: DamageFinder;
  /** Where on the log, for `log` and `rows` where it is known. */
  topic?: string;
  partition?: number;
  /** The first and the last offset that are concerned, both included; for `log`. */
  first_offset?: number;
  last_offset?: number;
  /** Of the tree that the records were judged by; 1 where it is left out. */
  generation?: number;
  /** The tenant of a row or a key; a damage of the log concerns the tenants of its lane. */
  tenant_id?: string;
  /** What was found and what would be right, in one sentence. */
  reason: string;
}

/** Receives found damage. The same damage may be reported many times: the receiver records it once. Never throws, never waits. */
export interface DamageReport {
  /** Whether it counts; false where an operator accepted these records as they are. */
  found(damage: FoundDamage): boolean;
}
