import { type AnswerTerms, settledAnswer } from './answering.js';
import { digest8, type Execution, holdsKey } from './row.js';

/** A call that did not get its row, and the epoch of this process. */
export interface Claimant {
  call_id: string;
  discriminating_digest: string;
  requested_at_ms: number;
  /** How long a settled key answers, ms. Infinity while its case is open. */
  window_ms: number;
  epoch: number;
  /** The epoch under which this claim was sent without an answer; null: every claim was answered. */
  unanswered_epoch: number | null;
  /** The call may only be answered by this one. */
  joined_call_id: string | null;
  terms: AnswerTerms;
}

export type LostClaim =
  /** The row belongs to this call and this epoch: the claim succeeded and only its answer was lost. */
  | { kind: 'won'; attempt: number }
  /** The row belongs to this call but to another owner: that owner, or its successor, ends it. */
  | { kind: 'owned_elsewhere' }
  | { kind: 'ended' }
  /** The row is the call's own tombstone, but its end is not on the log and must be written. */
  | { kind: 'tombstoned'; attempt: number }
  /** Claim again with this attempt number. `window_over`: the previous attempt no longer answers, whatever its state. */
  | { kind: 'attempt'; attempt: number; window_over?: true }
  | { kind: 'join'; call_id: string; attempt: number }
  /** Answered by the record at `end_offset`; null: not folded yet, so it must be found on the log. */
  | { kind: 'answer'; call_id: string; attempt: number; end_offset: number | null }
  /** The attempt succeeded, and only its tool can verify that its effect is still in place. */
  | { kind: 'verify'; call_id: string; attempt: number; end_offset: number | null }
  /** The call may only be answered, and the answer is no longer in place: policy decides again. */
  | { kind: 'answer_gone' }
  | { kind: 'refuse'; why: 'idempotency_key_reused' | 'nothing_to_join' };

/** How the call of the row answers, now or at its end. Undefined: it does not answer, so the next attempt may run. */
function answeredBy(row: Execution, terms: AnswerTerms): LostClaim | undefined {
  const { call_id, attempt, end_offset } = row;
  if (row.state === 'running') return { kind: 'join', call_id, attempt };
  if (row.state === 'compensated') return undefined;
  const settled = row.state === 'succeeded' ? settledAnswer(row.stands, terms) : 'answers';
  if (settled === 'gone') return undefined;
  return { kind: settled === 'verify' ? 'verify' : 'answer', call_id, attempt, end_offset };
}

function ownRow(row: Execution, claimant: Claimant): LostClaim {
  if (row.state === 'released' && row.end_offset === null) return { kind: 'tombstoned', attempt: row.attempt };
  if (row.state !== 'running' && row.state !== 'reading') return { kind: 'ended' };
  return row.epoch === claimant.epoch && row.epoch === claimant.unanswered_epoch
    ? { kind: 'won', attempt: row.attempt }
    : { kind: 'owned_elsewhere' };
}

function windowOver(row: Execution, claimant: Claimant): boolean {
  if (row.state !== 'succeeded') return false;
  return row.ended_at_ms !== null && claimant.requested_at_ms >= row.ended_at_ms + claimant.window_ms;
}

/**
 * Decides about a claim that did not get its row, from all rows of its key in order of attempt. A released or compensated attempt, or one
 * whose answer is no longer in place, makes room for the next attempt. Any other attempt answers the call, or refuses it if the
 * discriminating inputs differ.
 */
export function afterLostClaim(claimant: Claimant, rows: readonly Execution[]): LostClaim {
  const own = rows.find((row) => row.call_id === claimant.call_id);
  if (own) return ownRow(own, claimant);
  const last = rows.at(-1);
  if (claimant.joined_call_id !== null) {
    const joined = rows.find((row) => row.call_id === claimant.joined_call_id) ?? last;
    if (!joined) return { kind: 'refuse', why: 'nothing_to_join' };
    // A newer attempt follows the one to join: its effect is the current one.
    const newer = last && last !== joined && holdsKey(last.state) ? last : undefined;
    return answeredBy(joined, claimant.terms) ?? (newer && answeredBy(newer, claimant.terms)) ?? { kind: 'answer_gone' };
  }
  if (!last) return { kind: 'attempt', attempt: 1 };
  if (!holdsKey(last.state)) return { kind: 'attempt', attempt: last.attempt + 1 };
  if (last.digest8 !== 0 && last.digest8 !== digest8(claimant.discriminating_digest))
    return { kind: 'refuse', why: 'idempotency_key_reused' };
  if (windowOver(last, claimant)) return { kind: 'attempt', attempt: last.attempt + 1, window_over: true };
  return answeredBy(last, claimant.terms) ?? { kind: 'attempt', attempt: last.attempt + 1 };
}
