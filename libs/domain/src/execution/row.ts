/**
 * What a row of the arbiter says about one attempt of a key. `released` is also a tombstone: nothing of this attempt
 * happened and nothing of it ever will. `failed_with_effect`: it failed and yet something happened outside.
 */
export type ExecutionState = 'running' | 'reading' | 'succeeded' | 'in_doubt' | 'compensated' | 'failed_with_effect' | 'released';

/** One attempt of an idempotency key, as the arbiter keeps it: who may have fired it, and the position of its end. */
export interface Execution {
  attempt: number;
  call_id: string;
  /** The epoch that may have fired it. */
  epoch: number;
  state: ExecutionState;
  /** See `digest8`; 0 where it is no longer known. */
  digest8: number;
  /** Offset on tool-executed of its end; null while there is none, or none was folded yet. */
  end_offset: number | null;
  ended_at_ms: number | null;
  /** Whether its effect is still what the last effect on its resources left; null: it named none. */
  stands: boolean | null;
}

/** States that answer a later request of the key instead of letting it fire. */
export function holdsKey(state: ExecutionState): boolean {
  return state !== 'released' && state !== 'compensated';
}

/** The first 52 bits of a hex digest, which a number holds exactly: enough to tell other inputs under one key. */
export function digest8(digest: string): number {
  return Number.parseInt(digest.slice(0, 13), 16);
}
