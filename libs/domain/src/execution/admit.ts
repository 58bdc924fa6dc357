import { digest8 } from './row.js';

/** The fields of a ruling or grant that decide on the admission of a call. */
export interface Authority {
  call_id: string;
  key: string;
  write: boolean;
  /** The call may only be answered by this call with the same key; it must never fire. */
  joined_call_id: string | null;
  /** The caller passed the key: a repeat with it gets the same answer, whatever has changed since. */
  key_passed: boolean;
  discriminating_digest: string;
  execute_before_ms: number;
  deadline_ms: number | null;
}

/** The knowledge of this process when the record arrives. */
export interface Knowledge {
  /** The record is below the offset from which calls may still fire. */
  history: boolean;
  /** The end (or the refusal) of this record or call is on the log. */
  ended: boolean;
  /** The same call already waits or runs in this process. */
  open: boolean;
  /** A cancel of this call was read before. */
  cancelled: boolean;
  /** Another call with the same key that waits or runs in this process. */
  live: { call_id: string; digest8: number } | null;
  /** A settled call with the same key whose outcome is in memory. */
  settled: { call_id: string; digest8: number; ended_at_ms: number } | null;
  /** How long a settled key answers after its end, ms. Infinity while its case is open. */
  window_ms: number;
  now_ms: number;
}

export type Admission =
  | { kind: 'ignore'; why: 'history' | 'ended' | 'open' }
  /** A write waits for a slot, then claims its key. */
  | { kind: 'fire' }
  | { kind: 'read' }
  /** The call may only be answered: find the row of the call that it joins. */
  | { kind: 'look_up'; call_id: string }
  | { kind: 'join'; call_id: string }
  | { kind: 'answer'; call_id: string }
  /** Nothing fires. A write first leaves a tombstone; then its end is appended to the log. */
  | { kind: 'refuse'; why: Refusal };

export type Refusal =
  | 'expired'
  | 'deadline'
  | 'cancelled'
  | 'idempotency_key_reused'
  | 'nothing_to_join'
  | 'approval_used'
  | 'edited_effect_taken'
  | 'record_unreadable'
  | 'unknown_tool'
  | 'contract_changed'
  | 'bad_inputs'
  | 'subject_erased';

/** Why a call may no longer fire now; null if it may. Checked on arrival and again when it gets its slot. */
export function tooLate(authority: Pick<Authority, 'execute_before_ms' | 'deadline_ms'>, now_ms: number): 'expired' | 'deadline' | null {
  if (authority.deadline_ms !== null && now_ms >= authority.deadline_ms) return 'deadline';
  return now_ms >= authority.execute_before_ms ? 'expired' : null;
}

function admitWrite(authority: Authority, known: Knowledge): Admission {
  // Only the row knows whether the answer of a derived key is still in place.
  const settled = authority.key_passed ? known.settled : null;
  const other = known.live ?? settled;
  const mine = digest8(authority.discriminating_digest);
  if (authority.joined_call_id !== null) {
    if (known.live) return { kind: 'join', call_id: known.live.call_id };
    if (settled?.call_id === authority.joined_call_id) return { kind: 'answer', call_id: settled.call_id };
    return { kind: 'look_up', call_id: authority.joined_call_id };
  }
  if (other && other.digest8 !== mine) return { kind: 'refuse', why: 'idempotency_key_reused' };
  if (known.live) return { kind: 'join', call_id: known.live.call_id };
  if (settled && known.now_ms < settled.ended_at_ms + known.window_ms) return { kind: 'answer', call_id: settled.call_id };
  const late = tooLate(authority, known.now_ms);
  return late ? { kind: 'refuse', why: late } : { kind: 'fire' };
}

/**
 * Decides what to do with a ruling or grant that allows a call. Redeliveries, repeats and old records are ignored, a repeat of a live or
 * settled key is answered, and every other write must still win its claim.
 */
export function admit(authority: Authority, known: Knowledge): Admission {
  if (known.history) return { kind: 'ignore', why: 'history' };
  if (known.ended) return { kind: 'ignore', why: 'ended' };
  if (known.open) return { kind: 'ignore', why: 'open' };
  if (known.cancelled) return { kind: 'refuse', why: 'cancelled' };
  if (authority.write) return admitWrite(authority, known);
  const late = tooLate(authority, known.now_ms);
  return late ? { kind: 'refuse', why: late } : { kind: 'read' };
}
