import { type CallState, type EndFact, type PlacedEvent, votesShown } from '@countersign/domain';
import type { CaseHistoryType, CaseHistoryWrite } from '@countersign/store';
import type { Change } from '../projection.js';

interface Cause {
  hlc: number;
  event_id: string;
}

/** The case and call of a timeline line. */
type Owner = Pick<CaseHistoryWrite, 'tenant_id' | 'case_id' | 'call_id'>;

function line(of: Owner, cause: Cause, type: CaseHistoryType, at_ms: number, seq = 0, detail?: unknown): CaseHistoryWrite {
  const { tenant_id, case_id, call_id } = of;
  const { hlc, event_id } = cause;
  const detail_json = detail === undefined ? null : JSON.stringify(detail);
  return { tenant_id, case_id, hlc, event_id, seq, type, at_ms, call_id, detail_json };
}

function endLines(of: Owner, end: EndFact): CaseHistoryWrite[] {
  const type = end.outcome.status === 'succeeded' ? 'tool_call_complete' : 'tool_call_failed';
  switch (end.kind) {
    case 'executed':
      return [line(of, end, type, end.at_ms)];
    case 'deduplicated':
      return [line(of, end, 'tool_retry_deduplicated', end.at_ms)];
    case 'resolved':
      return [line(of, end, 'tool_call_resolved', end.at_ms), line(of, end, type, end.at_ms, 1)];
    case 'in_doubt':
      return [line(of, end, 'tool_call_in_doubt', end.at_ms)];
  }
}

const approvalEndType = {
  granted: 'approval_granted',
  denied: 'approval_denied',
  expired: 'approval_expired',
  cancelled: 'call_cancelled',
} as const;

function rulingLine(of: Owner, ruling: NonNullable<CallState['ruling']>): CaseHistoryWrite {
  const { decision_id, revision, effect, tier, approval_mode_effective, rule, bundle_version, reason, joined_call_id } = ruling;
  const detail = { decision_id, revision, effect, tier, approval_mode_effective, rule, bundle_version, reason, joined_call_id };
  return line(of, ruling, 'policy_decided', ruling.decided_at_ms, 0, detail);
}

/** The votes that are new between two states of a call. */
function voteLines(of: Owner, before: CallState | undefined, after: CallState): CaseHistoryWrite[] {
  const known = new Set(before && votesShown(before).map(({ vote_id }) => vote_id));
  return votesShown(after)
    .filter(({ vote_id }) => !known.has(vote_id))
    .map(({ hlc, event_id, at_ms, ...detail }) => line(of, { hlc, event_id }, 'approval_voted', at_ms, 0, detail));
}

/** The lines for the events that are new between two states of a call (all of them without a previous state). */
function linesBetween(of: Owner, before: CallState | undefined, after: CallState): CaseHistoryWrite[] {
  const lines: CaseHistoryWrite[] = [];
  const { requested, ruling, approval, approval_end, doubt, end } = after;
  if (requested && requested !== before?.requested) lines.push(line(of, requested, 'tool_call_pending', requested.at_ms));
  if (ruling && ruling !== before?.ruling) lines.push(rulingLine(of, ruling));
  if (approval && approval !== before?.approval) {
    const { approval_id, revision, expires_at_ms, quorum, approver_roles } = approval;
    const detail = { approval_id, revision, expires_at_ms, quorum, approver_roles };
    lines.push(line(of, approval, 'tool_call_pending_approval', approval.requested_at_ms, 0, detail));
  }
  if (approval_end && approval_end !== before?.approval_end) {
    const { kind, revision, reason, by, at_ms } = approval_end;
    lines.push(line(of, approval_end, approvalEndType[kind], at_ms, 0, { kind, revision, reason, by }));
  }
  if (after.votes !== before?.votes || after.refused_votes !== before?.refused_votes) lines.push(...voteLines(of, before, after));
  if (doubt && doubt !== before?.doubt) lines.push(...endLines(of, doubt));
  if (end && end !== before?.end) lines.push(...endLines(of, end));
  return lines;
}

/** Saga events in the timeline of a case, with the name of the time field of each. */
const sagaTimes = {
  saga_started: 'started_at_ms',
  compensation_requested: 'requested_at_ms',
  compensation_executed: 'executed_at_ms',
  compensation_failed: 'failed_at_ms',
  saga_ended: 'ended_at_ms',
} as const;
type SagaEvent = Extract<PlacedEvent, { event_type: keyof typeof sagaTimes }>;

/** The members of a saga's facts that a line shows. */
const shownOfSaga: ReadonlySet<string> = new Set([
  ...['saga_id', 'definition', 'definition_version', 'definition_digest', 'step_id', 'iteration', 'attempt', 'of_call_id'],
  ...['tool', 'version', 'status', 'failed_step_id', 'pivot_step_id', 'reason', 'error', 'failure', 'duration_ms', 'retry_count'],
  ...Object.values(sagaTimes),
]);

/** The lines of a saga. Inputs and results of an undo are those of its call. */
function sagaLines(at: SagaEvent): CaseHistoryWrite[] {
  const { meta, case_id, ...change } = at.event;
  if (case_id === null) return [];
  const detail = Object.fromEntries(Object.entries(change).filter(([name]) => shownOfSaga.has(name)));
  const at_ms = detail[sagaTimes[at.event_type]] as number;
  const call_id = 'call_id' in at.event ? at.event.call_id : null;
  return [line({ tenant_id: meta.tenant_id, case_id, call_id }, meta, at.event_type, at_ms, 0, detail)];
}

const isSagaEvent = (at: PlacedEvent): at is SagaEvent => at.event_type in sagaTimes;

/**
 * The lines that a change adds to the timeline of its case; none for calls without a case. Events from before the case was known are added
 * when it becomes known, so that the order of topics does not matter.
 */
export function historyOf({ at, before, after }: Change): CaseHistoryWrite[] {
  if (at.event_type === 'case_set' && !at.is_refused) {
    const { meta, case_id, state, changed_at_ms } = at.event;
    const of = { tenant_id: meta.tenant_id, case_id, call_id: null };
    return [line(of, meta, state === 'open' ? 'case_opened' : 'case_closed', changed_at_ms)];
  }
  if (isSagaEvent(at)) return sagaLines(at);
  const call = at.event_type === 'tool_call_rejudged' ? at.event.call : after?.call;
  if (!after || !call || call.case_id === null) return [];
  const of = { tenant_id: after.tenant_id, case_id: call.case_id, call_id: after.call_id };
  const lines = after === before ? [] : linesBetween(of, before?.call ? before : undefined, after);
  if (at.event_type === 'tool_call_rejudged') {
    const { meta, decision_id, revision, tier, rule, reason } = at.event;
    lines.push(line(of, meta, 'tool_call_rejudged', at.timestamp_ms, 0, { decision_id, revision, tier, rule, reason }));
  }
  return lines;
}
