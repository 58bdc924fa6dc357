/** What happens to a call in one executor process, in the order of its way. */
export type CallEvent =
  // Its record is read
  | 'admitted'
  /** It may only be answered by an earlier call. */
  | 'rows_needed'
  | 'local_leader_found'
  | 'refused'
  /** Its call has ended, or was judged again since. */
  | 'record_closed'
  /** Its call is open here already. */
  | 'record_repeated'
  // It was taken over from a lost executor
  | 'adopted_to_start'
  | 'adopted_to_fire'
  | 'adopted_to_settle'
  | 'adopted_to_end'
  /** The same call was taken over here. */
  | 'replaced'
  // It waits
  | 'slot_given'
  | 'pause_over'
  | 'cancelled'
  /** Its partition went to another executor, or this one closes. */
  | 'revoked'
  // It is judged
  | 'may_claim'
  | 'may_run'
  | 'tombstone_needed'
  /** How it ends is known, without a run. */
  | 'verdict_reached'
  // It claims
  | 'claim_won'
  | 'lease_confirmed'
  | 'tombstone_confirmed'
  /** This process holds no lease, or not the one that it claimed under. */
  | 'lease_missing'
  | 'claim_again'
  | 'claims_exhausted'
  | 'resources_busy'
  /** The call that it joins runs elsewhere; its end comes from the log of the same partition. */
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
  // It starts and runs
  | 'started'
  | 'gate_closed'
  | 'look_again'
  | 'may_fire'
  | 'lease_unproven'
  | 'result_to_finish'
  /** The result of its run is known. */
  | 'outcome_known'
  /** It will not fire after all. */
  | 'stopped_before_fire'
  | 'resend_later'
  | 'settle_later'
  | 'start_again'
  | 'run_again'
  | 'ask_due'
  /** A result after its run was given up. */
  | 'late_result'
  /** Nothing foresees what went wrong. */
  | 'broken'
  // It ends
  | 'end_sent'
  /** The lease was lost before it could be. */
  | 'end_not_written'
  | 'recorded'
  | 'recorded_in_doubt'
  /** Its end is on the log already. */
  | 'recorded_elsewhere'
  /** Only the owner of its partition may end it. */
  | 'not_owner'
  | 'ended_elsewhere'
  | 'leader_answered'
  | 'leader_left'
  | 'lease_lost';
