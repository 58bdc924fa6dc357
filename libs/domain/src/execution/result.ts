import { type Attachment, type CallError, callError, type ErrorCode, type OutcomeExtras } from '@countersign/contracts';
import { pauseMs } from './back-off.js';

/** How the outcome of a tool can be determined after a lost answer; from its contract. */
export interface Recovery {
  write: boolean;
  takes_key: boolean;
  has_reconcile: boolean;
  settle_ms: number;
  settle_is_final: boolean;
}

/** The result of a run, as the runtime observed it. */
export type RunResult =
  | {
      kind: 'output';
      output_json: string;
      truncated: boolean;
      warnings: string[];
      attachments?: Attachment[];
      extras?: OutcomeExtras;
      /** A write that found nothing to change. */
      unchanged?: true;
    }
  /** The tool refused. `effect: 'none'` guarantees that nothing outside changed. */
  | { kind: 'refused'; error: CallError; effect: 'none' | 'unknown' }
  /** The answer violates the contract, or a read-back contradicts it. */
  | { kind: 'wrong_shape'; error: CallError }
  /** No answer: timeout, lost connection, a crash of the tool. */
  | { kind: 'lost'; error: CallError };

/** The state of a run when it has a result. */
export interface Run {
  /** Number of resends so far. */
  resends: number;
  resends_max: number;
  /** An earlier attempt may have had the effect: its answer was lost. */
  maybe_happened: boolean;
  /** Epoch ms of the last fire. */
  fired_at_ms: number;
  now_ms: number;
  deadline_ms: number | null;
  /** Epoch ms at which the time limit of the tool ends, over all attempts. */
  until_ms: number;
  /** Pause before the attempt with this result; 0: it was the first attempt. */
  paused_ms: number;
  /** 0 ≤ random < 1. */
  random: number;
  cancelled: boolean;
}

export type Meaning =
  | { kind: 'succeeded'; effect: 'none' | 'happened' }
  | { kind: 'failed'; error: CallError; effect: 'none' }
  | { kind: 'cancelled' }
  /** Pass `pause_ms` as `paused_ms`, and `maybe_happened`, with the next result. */
  | { kind: 'resend'; at_ms: number; pause_ms: number; maybe_happened: boolean }
  | { kind: 'reconcile'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

/** Codes of transient errors. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'RATE_LIMIT', 'NETWORK_ERROR', 'PROVIDER_ERROR']);

/** The recorded error of a write that may have happened. The cause is in the details. */
export function inDoubt(cause: CallError | null): CallError {
  const message = 'the outcome is unknown: the effect may have happened. Check the system of record and use /resolve';
  return callError('IN_DOUBT', message, cause ? { details: { cause: { code: cause.code, message: cause.message } } } : {});
}

/** The time of the next attempt and the pause before it; null if no attempt is left or the next one would start too late. */
function nextAttempt(error: CallError, run: Run, until_ms: number): { kind: 'resend'; at_ms: number; pause_ms: number } | null {
  if (run.cancelled || run.resends >= run.resends_max) return null;
  const pause_ms = pauseMs(run.paused_ms, run.random, error.retry_after_s);
  const at_ms = run.now_ms + pause_ms;
  return at_ms < Math.min(until_ms, run.deadline_ms ?? until_ms) ? { kind: 'resend', at_ms, pause_ms } : null;
}

/** Nothing happened: a transient error is retried while there is time; any other error ends the call. */
function withoutEffect(error: CallError, run: Run): Meaning {
  if (run.cancelled) return { kind: 'cancelled' };
  const again = error.retryable && TRANSIENT.has(error.code) ? nextAttempt(error, run, run.until_ms) : null;
  return again ? { ...again, maybe_happened: false } : { kind: 'failed', error, effect: 'none' };
}

const FOR_EVER = Number.POSITIVE_INFINITY;

/** The effect may have happened. After a wrong answer a reconcile precedes a resend; after a lost answer a resend precedes a reconcile. */
function unknownEffect(result: Exclude<RunResult, { kind: 'output' }>, recovery: Recovery, run: Run): Meaning {
  const { error } = result;
  const again = (result.kind !== 'refused' || error.retryable) && recovery.takes_key ? nextAttempt(error, run, FOR_EVER) : null;
  if (again && (result.kind !== 'wrong_shape' || !recovery.has_reconcile)) return { ...again, maybe_happened: true };
  if (recovery.has_reconcile) return { kind: 'reconcile', at_ms: Math.max(run.now_ms, run.fired_at_ms + recovery.settle_ms) };
  return { kind: 'in_doubt', error: inDoubt(error) };
}

/**
 * The meaning of a run's result. A read-only call just ends. A write ends only if the result shows what happened. After a lost answer it is
 * resent if its system accepts the idempotency key, else reconciled, else in doubt. A wrong answer of a write is no failure, because the
 * write may have happened.
 */
export function meaningOf(result: RunResult, recovery: Recovery, run: Run): Meaning {
  if (result.kind === 'output') return { kind: 'succeeded', effect: recovery.write && !result.unchanged ? 'happened' : 'none' };
  if (!recovery.write && result.kind === 'wrong_shape')
    return run.cancelled ? { kind: 'cancelled' } : { kind: 'failed', error: result.error, effect: 'none' };
  // A refusal says that its own attempt had no effect, and nothing about an earlier one.
  const is_without_effect = result.kind === 'refused' && result.effect === 'none' && !run.maybe_happened;
  if (!recovery.write || is_without_effect) return withoutEffect(result.error, run);
  return unknownEffect(result, recovery, run);
}
