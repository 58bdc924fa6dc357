import { uuidOfParts } from '@countersign/contracts';
import type { Recorded } from '@countersign/event-log';
import type { Notification } from './notification.js';

const titles = {
  in_doubt: 'the outcome of a call is unknown',
  failed_after_pivot: 'a step failed after an irreversible one',
  overdue_after_pivot: 'the deadline passed after an irreversible step',
  compensation_failed: 'an effect could not be undone',
  late_effect: 'a call took effect after the saga had gone on',
} as const;

function ofTicket({ event, timestamp_ms }: Extract<Recorded, { event_type: 'saga_ticket_opened' }>): Notification {
  const { meta, saga_id, case_id, ticket, step_id, call_id, opened_at_ms } = event;
  const at = [saga_id, ticket, step_id ?? '', call_id ?? '', String(opened_at_ms)];
  return {
    // A repeated record is the same ticket.
    id: uuidOfParts(['saga_ticket', meta.tenant_id, ...at]),
    tenant_id: meta.tenant_id,
    type: ticket === 'compensation_failed' ? 'saga.compensation_failed' : 'saga.ticket_opened',
    timestamp_ms,
    title: `Saga ${saga_id}: ${titles[ticket]}`,
    data: { saga_id, case_id, ticket, step_id, call_id, opened_at: new Date(opened_at_ms).toISOString() },
    decides: null,
  };
}

function ofEnd({ event, timestamp_ms }: Extract<Recorded, { event_type: 'saga_ended' }>): Notification | undefined {
  const { meta, saga_id, case_id, status, failed_step_id, pivot_step_id, reason } = event;
  if (status !== 'compensation_failed') return undefined;
  return {
    id: uuidOfParts(['saga_ended', meta.tenant_id, saga_id]),
    tenant_id: meta.tenant_id,
    type: 'saga.compensation_failed',
    timestamp_ms,
    title: `Saga ${saga_id} ended with effects that are not undone`,
    data: { saga_id, case_id, ticket: null, status, failed_step_id, pivot_step_id, reason },
    decides: null,
  };
}

/** The notification for a saga that needs a person, or that ended with effects that are not undone. */
export function sagaNotification(at: Recorded): Notification | undefined {
  if (at.event_type === 'saga_ticket_opened') return ofTicket(at);
  return at.event_type === 'saga_ended' ? ofEnd(at) : undefined;
}
