import { type Outcome, type Principal, sha256Hex, type ToolCall } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import type { CallState } from '../call/state.js';

/**
 * One record of the log as an auditor lists it: who, on whose behalf, digests of the inputs and the outcome, and
 * its position. People and agents are named `kind:id`. What it says in full is the record itself.
 */
export interface AuditEvent {
  event_id: string;
  type: string;
  /** When the log took it, RFC 3339. */
  time: string;
  tenant_id: string;
  /** Whose call it is; where it belongs to no call, who did it. */
  caller: string | null;
  /** The user that the caller acted for. */
  on_behalf_of: string | null;
  /** The author of this event (the voter, the operator), where it names one. */
  actor: string | null;
  call_id: string | null;
  case_id: string | null;
  run_id: string | null;
  tool: string | null;
  /** SHA-256 of the call's canonical inputs, hex. */
  args_hash: string | null;
  /** SHA-256 of the result as it is recorded (its output's text, else its error's code and message), hex. */
  result_hash: string | null;
  decision_id: string | null;
  approval_id: string | null;
  causation_id: string | null;
  correlation_id: string;
  hlc: number;
  topic: string;
  partition: number;
  offset: number;
  /** A change of the configuration that took no effect: what it was checked against had changed. */
  refused_because: 'base_moved' | null;
}

/** Its columns, in the order of every export. */
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

/** What the events of one call have in common. */
export type CallFacts = Pick<CallState, 'call'> & { decision_id: string | null; approval_id: string | null };

/** What of a call its audit events say. */
export function callFacts({ call, ruling, approval }: CallState): CallFacts {
  return { call, decision_id: ruling?.decision_id ?? null, approval_id: approval?.approval_id ?? ruling?.approval_id ?? null };
}

/** The fields that some events have. */
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

/** Whether the event alone says whose call it is. */
export const saysItsCall = ({ event }: PlacedEvent): boolean =>
  event.meta.call_id === null || (event as unknown as Named).call !== undefined;

/** The audit event of a record. `facts`: what is known of its call, for records that do not say it themselves. */
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
