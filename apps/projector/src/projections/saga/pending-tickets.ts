import { isTicketAct } from '@countersign/domain';
import { closeSagaTickets, insertSagaTickets, type SagaTicketClosing, type SagaTicketWrite, type Statement } from '@countersign/store';
import { inChunks, storable } from '../projection.js';
import { type SagaEvent, sagaOf } from './saga-event.js';

type Closing = Pick<SagaTicketClosing, 'closed_as' | 'closed_at_ms'> & Partial<Pick<SagaTicketClosing, 'step_id' | 'call_id'>>;

/** What an event closes; the statement says which tickets those are. */
function closingOf(at: SagaEvent): Closing | undefined {
  switch (at.event_type) {
    case 'saga_controlled': {
      const { act, step_id, controlled_at_ms } = at.event;
      return isTicketAct(act) ? { closed_as: act, step_id: storable(step_id), closed_at_ms: controlled_at_ms } : undefined;
    }
    case 'saga_evidence_recorded': {
      const { direction, call_id, recorded_at_ms } = at.event;
      return direction === 'forward' ? { closed_as: 'evidence', call_id: storable(call_id), closed_at_ms: recorded_at_ms } : undefined;
    }
    case 'saga_compensation_started':
      return { closed_as: 'turned', closed_at_ms: at.event.started_at_ms };
    case 'saga_ended':
      return { closed_as: 'ended', closed_at_ms: at.event.ended_at_ms };
    default:
      return undefined;
  }
}

/** The rows of `saga_tickets`. */
export class PendingTickets {
  private readonly opened: SagaTicketWrite[] = [];
  private readonly closed: SagaTicketClosing[] = [];

  fold(at: SagaEvent): void {
    if (at.event_type === 'saga_ticket_opened') {
      const { ticket, step_id, call_id, opened_at_ms } = at.event;
      const about = { ticket, step_id: storable(step_id), call_id: storable(call_id), opened_at_ms };
      this.opened.push({ ...sagaOf(at), opened_offset: at.offset, ...about });
      return;
    }
    const closing = closingOf(at);
    if (closing) this.closed.push({ ...sagaOf(at), offset: at.offset, step_id: null, call_id: null, ...closing });
  }

  statements(): Statement[] {
    return [...inChunks(this.opened, insertSagaTickets), ...inChunks(this.closed, closeSagaTickets)];
  }
}
