import { DEFAULT_TENANT, type EventType } from '@countersign/contracts';
import { isTicketAct, itemNames } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import { configurationChange, isConfiguration, shownConfiguration } from './configuration-changes.js';
import { type ChangedItem, EVERY_TENANT, type RecordChanges, type UnnamedItems } from './record-change.js';

const ofCalls = [
  ...(['tool_call_requested', 'policy_decided', 'tool_call_started', 'tool_executed', 'tool_retry_deduplicated'] as const),
  ...(['tool_call_rejudged', 'tool_call_in_doubt', 'tool_call_resolved', 'resolution_allowed', 'call_cancelled'] as const),
  ...(['approval_requested', 'approval_granted', 'approval_denied', 'approval_expired'] as const),
] as const satisfies readonly EventType[];
const ofApprovals = [
  ...(['approval_voted', 'approval_vote_counted', 'approval_vote_refused', 'approval_escalated'] as const),
  ...(['approval_requested', 'approval_granted', 'approval_denied', 'approval_expired'] as const),
] as const satisfies readonly EventType[];
const ofSagas = [
  ...(['saga_started', 'saga_step_requested', 'saga_step_ended', 'saga_step_cancel_requested', 'saga_block_entered'] as const),
  ...(['saga_compensation_started', 'saga_controlled', 'saga_ended', 'saga_evidence_recorded', 'saga_level_skipped'] as const),
  ...(['saga_ticket_opened', 'saga_timer_fired', 'saga_wait_ended', 'saga_wait_opened'] as const),
  ...(['compensation_requested', 'compensation_executed', 'compensation_failed'] as const),
] as const satisfies readonly EventType[];
const ofInstallation = [
  ...(['tool_registered', 'upstream_listed', 'security_event_recorded', 'record_dead_lettered', 'damage_found'] as const),
] as const satisfies readonly EventType[];

const calls: ReadonlySet<string> = new Set(ofCalls);
const approvals: ReadonlySet<string> = new Set(ofApprovals);
const sagas: ReadonlySet<string> = new Set(ofSagas);
const shown: ReadonlySet<string> = new Set([...ofCalls, ...ofApprovals, ...ofSagas, ...ofInstallation, ...shownConfiguration]);

/** Whether records of this type may change something that a stream shows. */
export const isShown = (event_type: string): boolean => shown.has(event_type);

type Of<T extends EventType> = Extract<Recorded, { event_type: T }>;
const isOfCall = (at: Recorded): at is Of<(typeof ofCalls)[number]> => calls.has(at.event_type);
const isOfApproval = (at: Recorded): at is Of<(typeof ofApprovals)[number]> => approvals.has(at.event_type);
const isOfSaga = (at: Recorded): at is Of<(typeof ofSagas)[number]> => sagas.has(at.event_type);

/** The case of a call: whether it awaits approval changes with the approvals of its calls. */
function caseOf(at: Recorded): ChangedItem[] {
  if (!isOfApproval(at) && at.event_type !== 'call_cancelled') return [];
  const case_id = 'call' in at.event ? at.event.call?.case_id : null;
  return typeof case_id === 'string' ? [{ kind: 'case', id: case_id }] : [];
}

function callItems(at: Recorded): ChangedItem[] {
  if (!isOfCall(at)) return [];
  const { call_id } = at.event.meta;
  const undone = 'compensates' in at.event ? at.event.compensates?.call_id : undefined;
  return [call_id, undone].flatMap((id) => (typeof id === 'string' ? [{ kind: 'call' as const, id }] : []));
}

function approvalItems(at: Recorded): ChangedItem[] {
  if (!isOfApproval(at)) return [];
  const superseded = at.event_type === 'approval_requested' && at.event.edit ? [at.event.edit.approval_id] : [];
  return [...superseded, at.event.approval_id].map((id) => ({ kind: 'approval', id }));
}

function sagaItems(at: Recorded): ChangedItem[] {
  if (!isOfSaga(at)) return [];
  const { saga_id } = at.event;
  const opened = at.event_type === 'saga_ticket_opened' ? [{ kind: 'ticket' as const, id: `${saga_id}.${at.offset}` }] : [];
  return [{ kind: 'saga', id: saga_id }, ...opened];
}

function unnamedOf(at: Recorded): UnnamedItems | undefined {
  switch (at.event_type) {
    case 'call_cancelled':
      return { cancelled_call: at.event.meta.call_id as string };
    case 'saga_controlled':
      return isTicketAct(at.event.act) ? { closing_saga: at.event.saga_id, closed_at_ms: at.event.controlled_at_ms } : undefined;
    case 'saga_evidence_recorded':
      return { closing_saga: at.event.saga_id, closed_at_ms: at.event.recorded_at_ms };
    case 'saga_compensation_started':
      return { closing_saga: at.event.saga_id, closed_at_ms: at.event.started_at_ms };
    case 'saga_ended':
      return { closing_saga: at.event.saga_id, closed_at_ms: at.event.ended_at_ms };
    default:
      return undefined;
  }
}

/** Its health and its tools are shown where its settings are. */
const upstreamItem = (upstream: string): ChangedItem => ({
  kind: 'configuration',
  id: itemNames.upstream(upstream),
  setting: 'upstream_set',
});

function installationChanges(at: Recorded): RecordChanges | undefined {
  const { meta } = at.event;
  switch (at.event_type) {
    case 'tool_registered': {
      const { name, version, only_tenant } = at.event;
      return { tenant_id: only_tenant ?? EVERY_TENANT, items: [{ kind: 'tool', id: `${name}@${version}` }] };
    }
    case 'upstream_listed':
      return { tenant_id: meta.tenant_id, items: [upstreamItem(at.event.upstream)] };
    case 'security_event_recorded':
      return { tenant_id: meta.tenant_id, items: [{ kind: 'security', id: meta.event_id }] };
    case 'record_dead_lettered':
      return { tenant_id: meta.tenant_id || DEFAULT_TENANT, items: [{ kind: 'dead_letter', id: meta.event_id }] };
    case 'damage_found':
      return { tenant_id: at.event.tenant_id ?? DEFAULT_TENANT, items: [{ kind: 'damage', id: meta.event_id }] };
    default:
      return undefined;
  }
}

/** What a record changed, in a fixed order: the place of an item in it is part of a cursor. */
export function changesOf(at: Recorded): RecordChanges {
  if (isConfiguration(at)) return configurationChange(at);
  const unnamed = unnamedOf(at);
  const items = [...callItems(at), ...approvalItems(at), ...caseOf(at), ...sagaItems(at)];
  const known = installationChanges(at) ?? { tenant_id: at.event.meta.tenant_id, items };
  return unnamed ? { ...known, unnamed } : known;
}
