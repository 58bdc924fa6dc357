import type { CallStage } from './states.js';

/** What a transition does at once, in this order. */
export type CallEffect =
  | 'open'
  /** Opened, and later calls of its key join it. */
  | 'open_as_leader'
  /** It is off the list of open calls. */
  | 'remove'
  /** Its input records need nothing more. */
  | 'acknowledge'
  /** Its record is acknowledged with the open call that it repeats. */
  | 'merge_with_open'
  | 'enqueue'
  /** Out of the queue, or out of those that wait for resources. */
  | 'withdraw'
  | 'park'
  | 'release_slot'
  | 'begin_span'
  /** It runs under the epoch of now. */
  | 'note_epoch'
  | 'join_leader'
  | 'leave_leader'
  | 'await_remote'
  /** It replaces the open call of the same id, with its joiners, and holds a slot. */
  | 'adopt'
  /** Held before firing until the next tick. */
  | 'hold'
  /** Looked at again at its due time. */
  | 'await_due'
  /** Signals its tool to stop. */
  | 'abort_run'
  /** What runs is destroyed. */
  | 'drop_run'
  /** What its contract says of every result is added, and what may be given again is stored. */
  | 'complete_run'
  /** Warnings are added and personal data is encrypted. */
  | 'seal_outcome'
  /** Its late result ends its doubt. */
  | 'resolve_doubt'
  /** Its late result is recorded as evidence. */
  | 'record_evidence'
  | 'write_end'
  /** Its durable end is noted: for its row, its partition and its key. */
  | 'book_end'
  /** Where its end answers calls of its key, those that joined it end too. */
  | 'answer_joiners'
  | 'readmit_joiners'
  /** They are left to the next owner of their partition with it. */
  | 'revoke_joiners'
  /** Its joiners follow it to the call that it joins. */
  | 'move_joiners'
  /** The next revision of the same call, which waited for this end. */
  | 'readmit_next'
  /** A call whose row is not its successor's to settle is admitted from its beginning. */
  | 'readmit_unclaimed'
  /** Span, tallies and slot are closed, and those that wait for its resources look again. */
  | 'close_accounts';

/** What a transition asks last. The answer is the next event of the call, at once or later. */
export type CallQuestion =
  | 'admit'
  | 'judge'
  | 'refuse'
  | 'claim'
  | 'confirm_lease'
  | 'fold_then_claim'
  | 'pause_then_claim'
  | 'read_answer'
  | 'fold'
  | 'check_approval'
  | 'check_approval_later'
  | 'start'
  | 'pass_gate'
  | 'run'
  | 'finish_result'
  | 'ask_system'
  | 'await_end'
  | 'await_durable';

/** One entry of the table: the next stage, the effects, and the last query. */
export interface Step {
  to: CallStage;
  effects: readonly CallEffect[];
  ask: CallQuestion | null;
}
