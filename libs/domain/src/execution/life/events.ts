/** The events of a call in one executor process, in chronological order. */
export type CallEvent =
  // The record is read
  | 'admitted'
  /** The call may only be answered by an earlier call. */
  | 'rows_needed'
  | 'local_leader_found'
  | 'refused'
  /** The call has ended, or has been judged again since. */
  | 'record_closed'
  /** The call is already open in this process. */
  | 'record_repeated'
  // The call is taken over from a lost executor
  | 'adopted_to_start'
  | 'adopted_to_fire'
  | 'adopted_to_settle'
  | 'adopted_to_end'
  /** The same call was taken over in this process. */
  | 'replaced'
  // The call waits
  | 'slot_given'
  | 'pause_over'
  | 'cancelled'
  /** The partition went to another executor, or this process closes. */
  | 'revoked'
  // The call is judged
  | 'may_claim'
  | 'may_run'
  | 'tombstone_needed'
  /** The end is known without a run. */
  | 'verdict_reached'
  // The call claims its row
  | 'claim_won'
  | 'lease_confirmed'
  | 'tombstone_confirmed'
  /** This process holds no lease, or another lease than the one of the claim. */
  | 'lease_missing'
  | 'claim_again'
  | 'claims_exhausted'
  | 'resources_busy'
  /** The call that it joins runs in another process; its end comes from the log of the same partition. */
  | 'remote_leader_found'
  /** The call that it joins belongs to another partition. */
  | 'distant_leader_found'
  | 'owned_elsewhere'
  | 'answer_recorded'
  | 'answer_lost_its_effect'
  | 'retry_due'
  | 'fold_failed'
  | 'approval_open'
  | 'approval_closed'
  | 'store_unavailable'
  // The call starts and runs
  | 'started'
  | 'gate_closed'
  | 'look_again'
  | 'may_fire'
  | 'lease_unproven'
  | 'result_to_finish'
  /** The result of the run is known. */
  | 'outcome_known'
  /** The call must not fire any more. */
  | 'stopped_before_fire'
  | 'resend_later'
  | 'settle_later'
  | 'start_again'
  | 'run_again'
  | 'ask_due'
  /** A result that arrives after the run was abandoned. */
  | 'late_result'
  /** An unexpected error. */
  | 'broken'
  // The call ends
  | 'end_sent'
  /** The lease was lost before the end was written. */
  | 'end_not_written'
  | 'recorded'
  | 'recorded_in_doubt'
  /** The end is already on the log. */
  | 'recorded_elsewhere'
  /** Only the owner of the partition may end the call. */
  | 'not_owner'
  | 'ended_elsewhere'
  | 'leader_answered'
  | 'leader_left'
  | 'lease_lost';
