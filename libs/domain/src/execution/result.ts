import { type CallError, callError } from '@countersign/contracts';

/** How the effect of a tool may be found out after a lost answer; from its contract. */
export interface Recovery {
  write: boolean;
  takes_key: boolean;
  has_reconcile: boolean;
  settle_ms: number;
  settle_is_final: boolean;
}

/** What a run came to, as the runtime saw it. */
export type RunResult =
  | { kind: 'output'; output_json: string; truncated: boolean; warnings: string[] }
  /** The tool refused. `effect: 'none'` is its promise that nothing outside changed. */
  | { kind: 'refused'; error: CallError; effect: 'none' | 'unknown' }
  /** It answered what its contract does not allow. */
  | { kind: 'wrong_shape'; error: CallError }
  /** No answer: timeout, lost connection, a crash of the tool. */
  | { kind: 'lost'; error: CallError };

/** The state of a run that has a result. */
export interface Run {
  /** Times it was sent again so far. */
  resends: number;
  resends_max: number;
  /** Epoch ms of the last fire. */
  fired_at_ms: number;
  now_ms: number;
  deadline_ms: number | null;
  cancelled: boolean;
}

export type Meaning =
  | { kind: 'succeeded'; effect: 'none' | 'happened' }
  | { kind: 'failed'; error: CallError; effect: 'none' }
  | { kind: 'cancelled' }
  | { kind: 'resend'; at_ms: number }
  | { kind: 'reconcile'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

const BACKOFF_MS = 100;

/** What is recorded of a write that may have happened. The cause stays in the details. */
export function inDoubt(cause: CallError | null): CallError {
  const message = 'it may have happened and nobody can tell; resolve it with what the system of record says';
  return callError('IN_DOUBT', message, cause ? { details: { cause: { code: cause.code, message: cause.message } } } : {});
}

function mayResend(recovery: Recovery, run: Run): boolean {
  if (run.cancelled || run.resends >= run.resends_max) return false;
  if (recovery.write && !recovery.takes_key) return false;
  return run.deadline_ms === null || run.now_ms < run.deadline_ms;
}

function unknownEffect(error: CallError, again: boolean, recovery: Recovery, run: Run): Meaning {
  if (again && mayResend(recovery, run)) return { kind: 'resend', at_ms: run.now_ms + BACKOFF_MS * 2 ** run.resends };
  if (recovery.has_reconcile) return { kind: 'reconcile', at_ms: Math.max(run.now_ms, run.fired_at_ms + recovery.settle_ms) };
  return { kind: 'in_doubt', error: inDoubt(error) };
}

/**
 * What a run's result means. A read-only call just ends. A write ends only where its result says what happened; a lost
 * answer is sent again where its system takes our key, else asked for, else in doubt.
 */
export function meaningOf(result: RunResult, recovery: Recovery, run: Run): Meaning {
  if (result.kind === 'output') return { kind: 'succeeded', effect: recovery.write ? 'happened' : 'none' };
  if (!recovery.write) {
    if (run.cancelled) return { kind: 'cancelled' };
    const again = result.kind !== 'wrong_shape' && result.error.code === 'NETWORK_ERROR' && mayResend(recovery, run);
    return again
      ? { kind: 'resend', at_ms: run.now_ms + BACKOFF_MS * 2 ** run.resends }
      : { kind: 'failed', error: result.error, effect: 'none' };
  }
  if (result.kind === 'refused' && result.effect === 'none') {
    return run.cancelled ? { kind: 'cancelled' } : { kind: 'failed', error: result.error, effect: 'none' };
  }
  return unknownEffect(result.error, result.kind !== 'refused' || result.error.retryable, recovery, run);
}
