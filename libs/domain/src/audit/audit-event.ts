import { type Outcome, type Principal, sha256Hex, type ToolCall } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import type { CallState } from '../call/state.js';

/**
 * One log record in the audit list: who acted, on whose behalf, digests of the inputs and the outcome, and the log position. People and
 * agents are named `kind:id`. The record itself has the full content.
 */
export interface AuditEvent {
  event_id: string;
  type: string;
  /** Append time of the log, RFC 3339. */
  time: string;
  tenant_id: string;
  /** The caller of the call; for a record without a call, its author. */
  caller: string | null;
  /** The user on whose behalf the caller acted. */
  on_behalf_of: string | null;
  /** The author of this event (the voter, the operator), if it names one. */
  actor: string | null;
  call_id: string | null;
  case_id: string | null;
  run_id: string | null;
  tool: string | null;
  /** SHA-256 of the call's canonical inputs, hex. */
  args_hash: string | null;
  /** SHA-256, hex, of the recorded result: the text of its output, else the code and message of its error. */
  result_hash: string | null;
  decision_id: string | null;
  approval_id: string | null;
  causation_id: string | null;
  correlation_id: string;
  hlc: number;
  topic: string;
  partition: number;
  offset: number;
  /** Set for a configuration change that took no effect because the items that it was based on had changed. */
  refused_because: 'base_moved' | null;
}

/** The columns, in the order of every export. */
export const auditColumns = [
  'event_id',
  'type',
  'time',
  'tenant_id',
  'caller',
  'on_behalf_of',
  'actor',
  'call_id',
  'case_id',
  'run_id',
  'tool',
  'args_hash',
  'result_hash',
  'decision_id',
  'approval_id',
  'causation_id',
  'correlation_id',
  'hlc',
  'topic',
  'partition',
  'offset',
  'refused_because',
] as const satisfies readonly (keyof AuditEvent)[];

/** The common facts of all events of one call. */
export type CallFacts = Pick<CallState, 'call'> & { decision_id: string | null; approval_id: string | null };

/** The facts of a call that its audit events contain. */
export function callFacts({ call, ruling, approval }: CallState): CallFacts {
  return { call, decision_id: ruling?.decision_id ?? null, approval_id: approval?.approval_id ?? ruling?.approval_id ?? null };
}

/** Fields that only some events have. */
interface Named {
  call?: ToolCall;
  outcome?: Outcome;
  tool?: string;
  case_id?: string;
  decision_id?: string;
  approval_id?: string | null;
  by?: Principal;
  voter?: Principal;
  viewer?: Principal;
  principal?: Principal | null;
}

const nameOf = (principal: Principal | null | undefined): string | null => (principal ? `${principal.kind}:${principal.id}` : null);

function resultHash(outcome: Outcome | undefined): string | null {
  if (!outcome) return null;
  if (outcome.output_json !== null) return sha256Hex(outcome.output_json);
  return outcome.error ? sha256Hex(`${outcome.error.code} ${outcome.error.message}`) : null;
}

/** True if the event itself contains its call, or belongs to none. */
export const saysItsCall = ({ event }: PlacedEvent): boolean =>
  event.meta.call_id === null || (event as unknown as Named).call !== undefined;

/** The audit event of a record. `facts`: the known facts of its call, for records that do not contain them. */
export function auditEventOf(at: PlacedEvent, facts: CallFacts | undefined): AuditEvent {
  const { meta } = at.event;
  const named = at.event as unknown as Named;
  const call = named.call ?? facts?.call ?? null;
  const actor = nameOf(named.by ?? named.voter ?? named.viewer ?? named.principal);
  return {
    event_id: meta.event_id,
    type: at.event_type,
    time: new Date(at.timestamp_ms).toISOString(),
    tenant_id: meta.tenant_id,
    caller: call ? nameOf(call.principal) : meta.call_id === null ? actor : null,
    on_behalf_of: nameOf(call?.authority?.on_behalf_of),
    actor,
    call_id: meta.call_id,
    case_id: call?.case_id ?? named.case_id ?? null,
    run_id: call?.run_id ?? null,
    tool: call?.tool ?? named.tool ?? null,
    args_hash: call?.inputs_digest ?? null,
    result_hash: resultHash(named.outcome),
    decision_id: named.decision_id ?? facts?.decision_id ?? null,
    approval_id: named.approval_id ?? facts?.approval_id ?? null,
    causation_id: meta.causation_id,
    correlation_id: meta.correlation_id,
    hlc: meta.hlc,
    topic: at.topic,
    partition: at.partition,
    offset: at.offset,
    refused_because: at.is_refused ? 'base_moved' : null,
  };
}
