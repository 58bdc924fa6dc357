/**
 * The state of one attempt of a key in the arbiter. `released` is also a tombstone: this attempt had no effect and never will.
 * `failed_with_effect`: the attempt failed but had an effect outside.
 */
export type ExecutionState = 'running' | 'reading' | 'succeeded' | 'in_doubt' | 'compensated' | 'failed_with_effect' | 'released';

/** One attempt of an idempotency key in the arbiter: the epoch that may have fired it, and the position of its end. */
export interface Execution {
  attempt: number;
  call_id: string;
  /** The epoch that may have fired it. */
  epoch: number;
  state: ExecutionState;
  /** See `digest8`; 0 if it is no longer known. */
  digest8: number;
  /** Offset of its end on tool-executed; null while there is none, or none is folded yet. */
  end_offset: number | null;
  ended_at_ms: number | null;
  /** Whether its effect is still the newest on its resources; null: its row names none. */
  stands: boolean | null;
}

/** True for states in which the attempt answers a later request of the key instead of letting it fire. */
export function holdsKey(state: ExecutionState): boolean {
  return state !== 'released' && state !== 'compensated';
}

/** The first 52 bits of a hex digest, which a number holds exactly: enough to detect different inputs under one key. */
export function digest8(digest: string): number {
  return Number.parseInt(digest.slice(0, 13), 16);
}
