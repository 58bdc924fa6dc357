import { type CallError, callError } from '@countersign/contracts';
import { inDoubt } from './result.js';

/** The answer of the system of record about a write whose answer was lost. */
export type ReconcileAnswer =
  | { kind: 'happened'; output_json: string; truncated: boolean; warnings: string[]; flags?: readonly string[] }
  | { kind: 'did_not_happen' }
  | { kind: 'cannot_tell'; why: string }
  /** The system was unreachable. */
  | { kind: 'failed'; error: CallError };

export interface Asking {
  /** Number of earlier queries that did not reach the system. */
  asks_done: number;
  asks_max: number;
  /** The process that fired the call is known to be dead: an effect that has not happened by now never will. */
  owner_dead: boolean;
  settle_is_final: boolean;
  now_ms: number;
}

export type AfterReconcile =
  | { kind: 'succeeded'; output_json: string; truncated: boolean; warnings: string[]; flags?: readonly string[] }
  | { kind: 'failed'; error: CallError; effect: 'none' }
  | { kind: 'ask_again'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

const PAUSE_MS = 500;
const PAUSE_MS_MAX = 15_000;

/**
 * The meaning of the answer to a reconcile. `did_not_happen` counts only if no request can still be in transit: the process that fired is
 * known to be dead, or the tool declares its settle time final.
 */
export function afterReconcile(answer: ReconcileAnswer, asking: Asking): AfterReconcile {
  switch (answer.kind) {
    case 'happened':
      return { ...answer, kind: 'succeeded' };
    case 'did_not_happen':
      if (!asking.owner_dead && !asking.settle_is_final) return { kind: 'in_doubt', error: inDoubt(null) };
      return {
        kind: 'failed',
        error: callError('NETWORK_ERROR', 'the answer was lost; the system of record says that it did not happen'),
        effect: 'none',
      };
    case 'cannot_tell':
      return { kind: 'in_doubt', error: inDoubt(callError('UNKNOWN', answer.why)) };
    case 'failed':
      if (asking.asks_done + 1 < asking.asks_max)
        return { kind: 'ask_again', at_ms: asking.now_ms + Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** asking.asks_done) };
      return { kind: 'in_doubt', error: inDoubt(answer.error) };
  }
}
