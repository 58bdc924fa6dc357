import { approvalLink, bothForms, type Caller, callFace, seenBy } from '@countersign/calls';
import { type CallState, unpackCall } from '@countersign/domain';
import type { CaseHistoryRow } from '@countersign/store';

type Fields = Record<string, unknown>;

const agentSays = (state: CallState): Fields => {
  const { rationale, skill, step, rule } = state.call?.context ?? { rationale: null, skill: null, step: null, rule: null };
  return { rationale, skill, step, rule };
};

const time = (ms: unknown): string | null => (typeof ms === 'number' ? new Date(ms).toISOString() : null);

/** Before an approver edited them. */
const askedInputs = ({ asked_inputs_json: asked }: CallState, face: Fields): unknown =>
  asked === undefined ? face.input : JSON.parse(asked);

const isEdited = ({ asked_inputs_json: asked }: CallState): boolean => asked !== undefined;

/** What ran, where a mapping stands between: the inputs as the agent has them and as its tool got them. */
const ranAs = (face: Fields): Fields => (face.mapping === undefined ? {} : { inputs: face.input, ...bothForms(face) });

/** A repeat did not run: its line tells only which mapping the first call ran with. */
const otherMapping = (face: Fields): Fields => (face.mapping_version === null ? {} : { mapping_version: face.mapping_version });

/** The request as it was asked: what a later revision, an escalation or its end made of it has lines of its own. */
function askedFace(now: unknown, { at_ms }: CaseHistoryRow, detail: Fields): Fields {
  const { expires_at_ms, revision: _, ...asked } = detail;
  const ends = { decided_by: null, decided_at: null, reason: null };
  const link = approvalLink(String(asked.approval_id));
  return { ...(now as Fields), ...asked, link, status: 'pending', requested_at: time(at_ms), expires_at: time(expires_at_ms), ...ends };
}

/** How the wait of that revision ended, whatever was asked again since. */
function endedFace(now: unknown, { at_ms }: CaseHistoryRow, detail: Fields): Fields {
  const { kind, by, reason } = detail;
  return { ...(now as Fields), status: kind, decided_by: by, decided_at: time(at_ms), reason };
}

/** The ruling of that revision. What the call says besides is of its newest: shown where that is the one. */
function ruledFace(state: CallState, now: unknown, detail: Fields): Fields {
  return state.ruling?.revision === detail.revision ? { ...(now as Fields), ...detail } : detail;
}

/** What a line shows of its call, by its type (Korso's case-event contract): as it was then, not as it became. */
function shown(row: CaseHistoryRow, state: CallState): Fields {
  // A doubt is told as it was, though the call was resolved since.
  const face = callFace(row.type === 'tool_call_in_doubt' ? { ...state, end: null } : state);
  const tool = { tool: face.name, version: face.version };
  const detail = row.detail_json === null ? {} : (JSON.parse(row.detail_json) as Fields);
  switch (row.type) {
    case 'tool_call_pending':
      return { ...tool, inputs: askedInputs(state, face), ...(isEdited(state) ? {} : bothForms(face)), ...agentSays(state) };
    case 'tool_call_pending_approval':
      return { ...tool, approval: askedFace(face.approval, row, detail), ...agentSays(state) };
    case 'approval_granted':
    case 'approval_denied':
    case 'approval_expired':
    case 'call_cancelled':
      return {
        ...tool,
        approval: endedFace(face.approval, row, detail),
        by: detail.by ?? null,
        reason: detail.reason ?? null,
        ...agentSays(state),
      };
    case 'tool_retry_deduplicated':
      return {
        ...tool,
        result: face.output,
        error: face.error,
        ...otherMapping(face),
        ...timing(face),
        ...reused(face),
        ...agentSays(state),
      };
    case 'tool_call_complete':
    case 'tool_call_resolved':
      return { ...tool, result: face.output, error: face.error, ...ranAs(face), ...timing(face), ...agentSays(state) };
    case 'tool_call_failed':
    case 'tool_call_in_doubt':
      return { ...tool, error: face.error, ...ranAs(face), ...timing(face), ...agentSays(state) };
    case 'compensation_requested':
      return { ...tool, inputs: askedInputs(state, face), ...detail };
    case 'compensation_executed':
    case 'compensation_failed':
      return { ...tool, inputs: face.input, result: face.output, ...timing(face), ...detail };
    case 'policy_decided':
    case 'tool_call_rejudged':
      return { ...tool, decision: ruledFace(state, face.decision, detail) };
    default:
      return detail;
  }
}

const reused = ({ deduplicated_because, original_call_id, effect_now, superseded_by }: Fields): Fields => ({
  deduplicated_because,
  original_call_id,
  effect_now,
  superseded_by,
});

const timing = (face: Fields): Fields => ({ duration_ms: face.duration_ms, retry_count: face.retry_count });

/** One line of a case's timeline, oldest first: `type` and what belongs to it. */
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
