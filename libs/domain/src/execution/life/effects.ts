import type { CallStage } from './states.js';

/** The immediate effects of a transition, in this order. */
export type CallEffect =
  | 'open'
  /** Opens the call as leader: later calls with its key join it. */
  | 'open_as_leader'
  /** Removes the call from the list of open calls. */
  | 'remove'
  /** Acknowledges the input records of the call. */
  | 'acknowledge'
  /** Acknowledges the record together with the open call that it repeats. */
  | 'merge_with_open'
  | 'enqueue'
  /** Removes the call from the queue, or from the calls that wait for resources. */
  | 'withdraw'
  | 'park'
  | 'release_slot'
  | 'begin_span'
  /** Sets the current epoch as the epoch of the run. */
  | 'note_epoch'
  | 'join_leader'
  | 'leave_leader'
  | 'await_remote'
  /** Replaces the open call with the same id, takes over its joiners, and gets a slot. */
  | 'adopt'
  /** Holds the call before firing until the next tick. */
  | 'hold'
  /** Checks the call again at its due time. */
  | 'await_due'
  /** Signals the tool to stop. */
  | 'abort_run'
  /** Discards the run. */
  | 'drop_run'
  /** Adds the facts that the contract sets for every result, and stores outputs that later calls may get. */
  | 'complete_run'
  /** Adds warnings and encrypts personal data. */
  | 'seal_outcome'
  /** Resolves the doubt with the late result. */
  | 'resolve_doubt'
  /** Records the late result as evidence. */
  | 'record_evidence'
  | 'write_end'
  /** Notes the durable end for the row, the partition and the key. */
  | 'book_end'
  /** Sets its row to the end that another process wrote, perhaps without the row. */
  | 'fold_end'
  /** Ends the calls that joined it, if its end answers calls with its key. */
  | 'answer_joiners'
  | 'readmit_joiners'
  /** Leaves the joiners to the next owner of their partition. */
  | 'revoke_joiners'
  /** Moves the joiners to the call that this call joins. */
  | 'move_joiners'
  /** Admits the next revision of the same call, which waited for this end. */
  | 'readmit_next'
  /** Admits the call again from the beginning, if no other owner has to settle its row. */
  | 'readmit_unclaimed'
  /** Closes the span, the counters and the slot, and wakes the calls that wait for its resources. */
  | 'close_accounts';

/** The last action of a transition: a query. Its answer is the next event of the call, at once or later. */
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
