import { digest8 } from './row.js';

/** A ruling or a grant that lets a call run, as far as its admission is concerned. */
export interface Authority {
  call_id: string;
  key: string;
  write: boolean;
  /** Allowed only to be answered by this call of the same key; never to fire. */
  joined_call_id: string | null;
  /** The caller passed the key: a repeat with it gets the same answer, regardless of later changes. */
  key_passed: boolean;
  discriminating_digest: string;
  execute_before_ms: number;
  deadline_ms: number | null;
}

/** Local knowledge of this process when the record arrives. */
export interface Knowledge {
  /** The record is below the offset from which calls may still fire. */
  history: boolean;
  /** This record, or this call, has its end (or its refusal) on the log. */
  ended: boolean;
  /** The same call waits or runs in this process. */
  open: boolean;
  /** A cancel of this call was seen before. */
  cancelled: boolean;
  /** Another call of the same key that waits or runs in this process. */
  live: { call_id: string; digest8: number } | null;
  /** A settled call of the same key whose outcome is at hand. */
  settled: { call_id: string; digest8: number; ended_at_ms: number } | null;
  /** Until when a settled key answers, counted from its end (the open case may make it longer: Infinity). */
  window_ms: number;
  now_ms: number;
}

export type Admission =
  | { kind: 'ignore'; why: 'history' | 'ended' | 'open' }
  /** A write: it waits for a slot, then claims its key. */
  | { kind: 'fire' }
  | { kind: 'read' }
  /** It may only be answered: find the row of the call that it joins. */
  | { kind: 'look_up'; call_id: string }
  | { kind: 'join'; call_id: string }
  | { kind: 'answer'; call_id: string }
  /** Nothing fires; a write leaves a tombstone first, then its end goes to the log. */
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

/** Why a call may no longer fire now, if so. Checked on arrival and again when it gets its slot. */
export function tooLate(authority: Pick<Authority, 'execute_before_ms' | 'deadline_ms'>, now_ms: number): 'expired' | 'deadline' | null {
  if (authority.deadline_ms !== null && now_ms >= authority.deadline_ms) return 'deadline';
  return now_ms >= authority.execute_before_ms ? 'expired' : null;
}

function admitWrite(authority: Authority, known: Knowledge): Admission {
  // Whether the answer of a derived key is still in place is for its row to say.
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
 * What to do with a ruling (or grant) that allows a call. Redelivery and repeats are ignored, old records are history,
 * a repeat of a live or settled key is answered, and everything else still has to win its claim.
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
