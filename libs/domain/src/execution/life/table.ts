import type { CallEffect, CallQuestion, Step } from './effects.js';
import type { CallEvent } from './events.js';
import { type CallStage, isFinished } from './states.js';

type Row = Partial<Record<CallEvent, Step>>;

const go = (to: CallStage, ...effects: CallEffect[]): Step => ({ to, effects, ask: null });
const asking = (to: CallStage, ask: CallQuestion, ...effects: CallEffect[]): Step => ({ to, effects, ask });

const LEAVE = go('gone', 'acknowledge', 'remove', 'release_slot', 'readmit_joiners', 'readmit_next');
const END = asking('ending', 'await_end', 'complete_run', 'seal_outcome', 'release_slot', 'write_end', 'answer_joiners');
const END_UNFIRED = asking('ending', 'await_end', 'seal_outcome', 'release_slot', 'write_end', 'answer_joiners');
const END_BY_VERDICT = asking('ending', 'await_end', 'write_end', 'answer_joiners');
const VERDICT = asking('checking_approval', 'check_approval');
const DETACH = go('detached', 'drop_run', 'release_slot', 'remove', 'readmit_unclaimed', 'readmit_joiners', 'readmit_next');
const READMIT = asking('new', 'admit', 'release_slot', 'remove');
/** Its previous owner ended it before this start: another fire could be a second effect, because that end may have freed the key. */
const RECORDED_RESEND = go('gone', 'drop_run', 'fold_end', 'acknowledge', 'remove', 'close_accounts', 'readmit_joiners', 'readmit_next');
const REPLACED = go('gone', 'drop_run', 'withdraw', 'leave_leader', 'release_slot', 'acknowledge', 'remove');
const FORGET = go('gone', 'remove', 'revoke_joiners');
const endedElsewhere = (...first: CallEffect[]): Step =>
  go('gone', ...first, 'answer_joiners', 'remove', 'acknowledge', 'release_slot', 'readmit_next');

/** Transitions of a call that did not get its row, by the rows of its key. */
const AFTER_ROWS: Row = {
  claim_again: asking('reclaiming', 'fold_then_claim'),
  claims_exhausted: READMIT,
  local_leader_found: go('joined', 'release_slot', 'move_joiners', 'join_leader'),
  remote_leader_found: go('awaiting_remote', 'release_slot', 'move_joiners', 'await_remote'),
  distant_leader_found: asking('reclaiming', 'pause_then_claim', 'release_slot', 'move_joiners'),
  answer_lost_its_effect: asking('folding', 'fold'),
  verdict_reached: VERDICT,
};

/** Transitions after the result of a run, or the answer of its system of record. */
const AFTER_RESULT: Row = {
  outcome_known: END,
  resend_later: go('resending', 'await_due'),
  settle_later: go('settling', 'await_due', 'release_slot'),
  broken: END,
  lease_lost: DETACH,
};

/** Before the effect: a cancel is noted on the call and checked before it fires. */
const notFired = (stage: CallStage): Row => ({ cancelled: go(stage), replaced: REPLACED });
/** The call cannot have had an effect: it continues under the next lease. */
const untouched = (stage: CallStage): Row => ({ ...notFired(stage), lease_lost: go(stage) });
/** The call waits for others and can be removed at any time. */
const waiting = (stage: CallStage, way_out: 'withdraw' | 'leave_leader'): Row => ({
  cancelled: asking('refusing', 'refuse', way_out),
  revoked: FORGET,
  replaced: REPLACED,
  ended_elsewhere: endedElsewhere(way_out),
  lease_lost: go(stage),
});
/** The call waits for the answer of another call. */
const joining = (stage: CallStage): Row => ({
  ...waiting(stage, 'leave_leader'),
  leader_answered: END_BY_VERDICT,
  leader_left: READMIT,
  remote_leader_found: go('awaiting_remote', 'await_remote'),
  distant_leader_found: asking('reclaiming', 'pause_then_claim'),
  local_leader_found: go('joined', 'join_leader'),
});

/**
 * The state machine of a call in one executor process: the possible events of each stage, with their transitions. An event that a stage
 * does not list is too late and changes nothing, or is impossible (`afterEvent`).
 */
export const callLife: Readonly<Record<CallStage, Row>> = {
  new: {
    admitted: go('queued', 'open_as_leader', 'enqueue'),
    rows_needed: asking('claiming', 'claim', 'open'),
    local_leader_found: go('joined', 'move_joiners', 'join_leader'),
    verdict_reached: asking('checking_approval', 'check_approval', 'open'),
    refused: asking('refusing', 'refuse', 'open'),
    record_closed: go('gone', 'acknowledge', 'readmit_joiners', 'readmit_next'),
    record_repeated: go('gone', 'merge_with_open', 'readmit_joiners', 'readmit_next'),
    adopted_to_start: asking('starting', 'start', 'adopt'),
    adopted_to_fire: asking('gated', 'pass_gate', 'adopt'),
    adopted_to_settle: go('settling', 'adopt', 'await_due', 'release_slot'),
    adopted_to_end: asking('ending', 'await_end', 'adopt', 'release_slot', 'write_end', 'answer_joiners'),
  },
  queued: { ...waiting('queued', 'withdraw'), slot_given: asking('judging', 'judge'), verdict_reached: VERDICT },
  parked: { ...waiting('parked', 'withdraw'), pause_over: go('queued', 'enqueue') },
  judging: {
    may_claim: asking('claiming', 'claim', 'begin_span'),
    may_run: asking('running', 'run', 'begin_span', 'note_epoch'),
    refused: asking('refusing', 'refuse'),
    verdict_reached: VERDICT,
  },
  refusing: { tombstone_needed: asking('claiming', 'claim', 'begin_span'), verdict_reached: VERDICT },
  claiming: {
    ...untouched('claiming'),
    ...AFTER_ROWS,
    claim_won: asking('claimed', 'confirm_lease'),
    resources_busy: go('parked', 'park', 'release_slot'),
    owned_elsewhere: LEAVE,
    answer_recorded: asking('reading_answer', 'read_answer'),
    lease_missing: READMIT,
    not_owner: go('gone', 'remove', 'release_slot', 'readmit_joiners'),
  },
  claimed: {
    ...notFired('claimed'),
    lease_confirmed: asking('starting', 'start', 'acknowledge'),
    tombstone_confirmed: VERDICT,
    lease_missing: DETACH,
    lease_lost: DETACH,
  },
  reclaiming: {
    ...untouched('reclaiming'),
    retry_due: asking('claiming', 'claim'),
    pause_over: asking('reclaiming', 'fold_then_claim'),
  },
  reading_answer: { ...untouched('reading_answer'), ...AFTER_ROWS },
  folding: { ...untouched('folding'), verdict_reached: VERDICT, fold_failed: asking('claiming', 'claim') },
  checking_approval: {
    ...untouched('checking_approval'),
    approval_open: END_BY_VERDICT,
    approval_closed: LEAVE,
    store_unavailable: asking('checking_approval', 'check_approval_later'),
    pause_over: VERDICT,
  },
  starting: { ...notFired('starting'), started: asking('gated', 'pass_gate'), lease_missing: DETACH, lease_lost: DETACH },
  gated: {
    ...notFired('gated'),
    gate_closed: go('gated', 'hold'),
    look_again: asking('gated', 'pass_gate'),
    may_fire: asking('running', 'run'),
    stopped_before_fire: END_UNFIRED,
    recorded_elsewhere: RECORDED_RESEND,
    broken: END_UNFIRED,
    lease_lost: DETACH,
  },
  running: {
    ...AFTER_RESULT,
    replaced: REPLACED,
    cancelled: go('running', 'abort_run'),
    lease_unproven: go('gated', 'hold'),
    lease_missing: DETACH,
    result_to_finish: asking('finishing', 'finish_result'),
  },
  finishing: { ...AFTER_RESULT, replaced: REPLACED },
  resending: {
    ...AFTER_RESULT,
    replaced: REPLACED,
    cancelled: go('resending', 'abort_run'),
    start_again: asking('starting', 'start'),
    run_again: asking('running', 'run'),
    late_result: END,
    ended_elsewhere: endedElsewhere('drop_run'),
  },
  settling: {
    ...AFTER_RESULT,
    replaced: REPLACED,
    ask_due: asking('settling', 'ask_system'),
    late_result: END,
    ended_elsewhere: endedElsewhere('drop_run'),
  },
  ending: {
    broken: END,
    replaced: REPLACED,
    end_sent: asking('writing', 'await_durable'),
    recorded_elsewhere: go('gone', 'acknowledge', 'remove', 'close_accounts', 'readmit_joiners', 'readmit_next'),
    not_owner: go('gone', 'remove', 'close_accounts', 'readmit_joiners'),
    lease_lost: DETACH,
  },
  writing: {
    replaced: REPLACED,
    recorded: go('gone', 'book_end', 'remove', 'answer_joiners', 'readmit_joiners', 'close_accounts', 'readmit_next'),
    recorded_in_doubt: go('in_doubt', 'book_end', 'remove', 'answer_joiners', 'readmit_joiners', 'close_accounts', 'readmit_next'),
    end_not_written: DETACH,
    lease_lost: go('writing'),
  },
  joined: joining('joined'),
  awaiting_remote: joining('awaiting_remote'),
  in_doubt: { late_result: go('in_doubt', 'resolve_doubt') },
  detached: { late_result: go('detached', 'record_evidence') },
  gone: {},
};

/** External events: they may arrive in any stage. */
const notices: ReadonlySet<CallEvent> = new Set([
  'cancelled',
  'revoked',
  'replaced',
  'ended_elsewhere',
  'leader_answered',
  'leader_left',
  'lease_lost',
  'late_result',
]);

/** The transition for an event; `undefined` if it comes too late for the call. Throws if the event is impossible. */
export function afterEvent(stage: CallStage, event: CallEvent): Step | undefined {
  const step = callLife[stage][event];
  if (step || notices.has(event) || isFinished(stage)) return step;
  throw new Error(`a call that is ${stage} cannot meet ${event}`);
}
