import { approvalLink, bothForms, type Caller, callJson, seenBy } from '@countersign/calls';
import { type CallState, unpackCall } from '@countersign/domain';
import type { CaseHistoryRow } from '@countersign/store';

type Fields = Record<string, unknown>;

const agentSays = (state: CallState): Fields => {
  const { rationale, skill, step, rule } = state.call?.context ?? { rationale: null, skill: null, step: null, rule: null };
  return { rationale, skill, step, rule };
};

const time = (ms: unknown): string | null => (typeof ms === 'number' ? new Date(ms).toISOString() : null);

/** The inputs before an approver edited them. */
const requestedInputs = ({ asked_inputs_json: requested_json }: CallState, json: Fields): unknown =>
  requested_json === undefined ? json.input : JSON.parse(requested_json);

const isEdited = ({ asked_inputs_json: requested_json }: CallState): boolean => requested_json !== undefined;

/** With a mapping: the inputs from the agent, and the inputs that the tool received. */
const ranAs = (json: Fields): Fields => (json.mapping === undefined ? {} : { inputs: json.input, ...bothForms(json) });

/** A repeat did not run: its line shows only the mapping version of the first call. */
const otherMapping = (json: Fields): Fields => (json.mapping_version === null ? {} : { mapping_version: json.mapping_version });

/** The request as made: later revisions, escalations and the end have their own lines. */
function requestedApproval(now: unknown, { at_ms }: CaseHistoryRow, detail: Fields): Fields {
  const { expires_at_ms, revision: _, ...request } = detail;
  const ends = { decided_by: null, decided_at: null, reason: null };
  const link = approvalLink(String(request.approval_id));
  return { ...(now as Fields), ...request, link, status: 'pending', requested_at: time(at_ms), expires_at: time(expires_at_ms), ...ends };
}

/** How the wait of that revision ended, regardless of later requests. */
function endedApproval(now: unknown, { at_ms }: CaseHistoryRow, detail: Fields): Fields {
  const { kind, by, reason } = detail;
  return { ...(now as Fields), status: kind, decided_by: by, decided_at: time(at_ms), reason };
}

/** The decision on that revision. The call state has only the newest revision: its details are shown only if that is the same one. */
function decidedRuling(state: CallState, now: unknown, detail: Fields): Fields {
  return state.ruling?.revision === detail.revision ? { ...(now as Fields), ...detail } : detail;
}

/** The members of a line about a call, by type (Korso's case-event contract): the state at that time, not the current one. */
function shown(row: CaseHistoryRow, state: CallState): Fields {
  // An unknown outcome is shown as it was, even if the call was resolved since.
  const json = callJson(row.type === 'tool_call_in_doubt' ? { ...state, end: null } : state);
  const tool = { tool: json.name, version: json.version };
  const detail = row.detail_json === null ? {} : (JSON.parse(row.detail_json) as Fields);
  switch (row.type) {
    case 'tool_call_pending':
      return { ...tool, inputs: requestedInputs(state, json), ...(isEdited(state) ? {} : bothForms(json)), ...agentSays(state) };
    case 'tool_call_pending_approval':
      return { ...tool, approval: requestedApproval(json.approval, row, detail), ...agentSays(state) };
    case 'approval_voted':
      return { ...tool, ...votedLine(state, detail) };
    case 'approval_granted':
    case 'approval_denied':
    case 'approval_expired':
    case 'call_cancelled':
      return {
        ...tool,
        approval: endedApproval(json.approval, row, detail),
        by: detail.by ?? null,
        reason: detail.reason ?? null,
        ...endedWith(detail.kind !== 'granted', json),
        ...agentSays(state),
      };
    case 'tool_retry_deduplicated':
      return {
        ...tool,
        result: json.output,
        error: json.error,
        ...otherMapping(json),
        ...timing(json),
        ...reused(json),
        ...agentSays(state),
      };
    case 'tool_call_complete':
    case 'tool_call_resolved':
      return { ...tool, result: json.output, error: json.error, ...ranAs(json), ...timing(json), ...agentSays(state) };
    case 'tool_call_failed':
    case 'tool_call_in_doubt':
      return { ...tool, error: json.error, ...ranAs(json), ...timing(json), ...agentSays(state) };
    case 'compensation_requested':
      return { ...tool, inputs: requestedInputs(state, json), ...detail };
    case 'compensation_executed':
    case 'compensation_failed':
      return { ...tool, inputs: json.input, result: json.output, ...timing(json), ...detail };
    case 'policy_decided':
    case 'tool_call_rejudged':
      return { ...tool, decision: decidedRuling(state, json.decision, detail), ...endedWith(endedHere(state, detail), json) };
    default:
      return detail;
  }
}

/** The vote as it was cast, and why it did not count; null: it counts, or policy has not handled it. */
function votedLine(state: CallState, { vote_id, approval_id, vote, by, to, reason }: Fields): Fields {
  const refused = state.refused_votes?.find((one) => one.vote_id === vote_id);
  const approval = { approval_id, link: approvalLink(String(approval_id)) };
  return { approval, vote, by, to, reason, refused_because: refused?.reason ?? null };
}

/** The error of a call that ended without a run: no other line has it. */
const endedWith = (isEnd: boolean, { error }: Fields): Fields => (isEnd && error ? { error } : {});

const endedHere = ({ ruling }: CallState, { effect, revision }: Fields): boolean => effect === 'deny' && ruling?.revision === revision;

const reused = ({ deduplicated_because, original_call_id, effect_now, superseded_by }: Fields): Fields => ({
  deduplicated_because,
  original_call_id,
  effect_now,
  superseded_by,
});

const timing = (json: Fields): Fields => ({ duration_ms: json.duration_ms, retry_count: json.retry_count });

/** One line of a case's timeline: `type` and the members of that type. */
export function historyLine(row: CaseHistoryRow, reader: Pick<Caller, 'clearances'>): Fields {
  const { case_id, type, event_id, call_id, at_ms } = row;
  const state = row.state === null ? undefined : seenBy(unpackCall(row.state), reader);
  const occurred_at = new Date(at_ms).toISOString();
  return {
    case_id,
    type,
    occurred_at,
    at: occurred_at,
    event_id,
    call_id,
    ...(state ? shown(row, state) : (JSON.parse(row.detail_json ?? '{}') as Fields)),
    ...(state?.withheld ? { withheld: state.withheld } : {}),
  };
}
