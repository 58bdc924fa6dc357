import { type Attachment, type CallError, callError, type ErrorCode, type OutcomeExtras } from '@countersign/contracts';
import { pauseMs } from './back-off.js';

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
  | {
      kind: 'output';
      output_json: string;
      truncated: boolean;
      warnings: string[];
      attachments?: Attachment[];
      extras?: OutcomeExtras;
      /** Of a write: it found nothing to change. */
      unchanged?: true;
    }
  /** The tool refused. `effect: 'none'` is its promise that nothing outside changed. */
  | { kind: 'refused'; error: CallError; effect: 'none' | 'unknown' }
  /** It answered what its contract does not allow, or what a read-back contradicts. */
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
  /** Epoch ms at which the time of the tool is over, all attempts together. */
  until_ms: number;
  /** Pause before the attempt that has this result; 0: it was the first. */
  paused_ms: number;
  /** 0 ≤ random < 1. */
  random: number;
  cancelled: boolean;
}

export type Meaning =
  | { kind: 'succeeded'; effect: 'none' | 'happened' }
  | { kind: 'failed'; error: CallError; effect: 'none' }
  | { kind: 'cancelled' }
  /** `pause_ms`: to be given as `paused_ms` of the next result. */
  | { kind: 'resend'; at_ms: number; pause_ms: number }
  | { kind: 'reconcile'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

/** Codes of errors that pass by themselves. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'RATE_LIMIT', 'NETWORK_ERROR', 'PROVIDER_ERROR']);

/** What is recorded of a write that may have happened. The cause stays in the details. */
export function inDoubt(cause: CallError | null): CallError {
  const message = 'the outcome is unknown: the effect may have happened. Check the system of record and use /resolve';
  return callError('IN_DOUBT', message, cause ? { details: { cause: { code: cause.code, message: cause.message } } } : {});
}

/** When it runs again, with the pause before; null where no attempt is left or none would begin in time. */
function nextAttempt(error: CallError, run: Run, until_ms: number): { kind: 'resend'; at_ms: number; pause_ms: number } | null {
  if (run.cancelled || run.resends >= run.resends_max) return null;
  const pause_ms = pauseMs(run.paused_ms, run.random, error.retry_after_s);
  const at_ms = run.now_ms + pause_ms;
  return at_ms < Math.min(until_ms, run.deadline_ms ?? until_ms) ? { kind: 'resend', at_ms, pause_ms } : null;
}

/** Nothing happened: a transient error is tried again while there is time, any other is the end. */
function withoutEffect(error: CallError, run: Run): Meaning {
  if (run.cancelled) return { kind: 'cancelled' };
  const again = error.retryable && TRANSIENT.has(error.code) ? nextAttempt(error, run, run.until_ms) : null;
  return again ?? { kind: 'failed', error, effect: 'none' };
}

const FOR_EVER = Number.POSITIVE_INFINITY;

/** It may have happened. A wrong answer is reconciled before it is sent again; a lost one the other way round. */
function unknownEffect(result: Exclude<RunResult, { kind: 'output' }>, recovery: Recovery, run: Run): Meaning {
  const { error } = result;
  const again = (result.kind !== 'refused' || error.retryable) && recovery.takes_key ? nextAttempt(error, run, FOR_EVER) : null;
  if (again && (result.kind !== 'wrong_shape' || !recovery.has_reconcile)) return again;
  if (recovery.has_reconcile) return { kind: 'reconcile', at_ms: Math.max(run.now_ms, run.fired_at_ms + recovery.settle_ms) };
  return { kind: 'in_doubt', error: inDoubt(error) };
}

/**
 * What a run's result means. A read-only call just ends. A write ends only where its result says what happened; a lost
 * answer is sent again where its system takes our key, else reconciled, else in doubt. A wrong answer of a write is no
 * failure: it has happened.
 */
export function meaningOf(result: RunResult, recovery: Recovery, run: Run): Meaning {
  if (result.kind === 'output') return { kind: 'succeeded', effect: recovery.write && !result.unchanged ? 'happened' : 'none' };
  if (!recovery.write && result.kind === 'wrong_shape')
    return run.cancelled ? { kind: 'cancelled' } : { kind: 'failed', error: result.error, effect: 'none' };
  if (!recovery.write || (result.kind === 'refused' && result.effect === 'none')) return withoutEffect(result.error, run);
  return unknownEffect(result, recovery, run);
}
