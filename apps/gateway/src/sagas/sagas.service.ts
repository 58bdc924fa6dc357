import { Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { type ListedSagaTicket, listSagas, listSagaTickets, readSaga } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type Page, storeQuery } from '../lists/page-query.js';
import { detailsOf } from './saga-details.js';
import { parsed, summaryOf } from './saga-summary.js';
import { ticketOf } from './saga-ticket.js';
import type { ListedTicket, SagaSummary, SagasQuery, SagaWithSteps, TicketsQuery } from './sagas.schemas.js';

export const sagaNotFound = (): Refusal => new Refusal('not-found', 'no saga has this id', { reason: 'saga_not_found' });

/** Sagas: calls that run as one unit, their progress and their compensations. */
@Injectable()
export class SagasService {
  constructor(
    private readonly views: Views,
    private readonly configuration: ConfigurationService,
  ) {}

  async list(tenant_id: string, query: SagasQuery): Promise<Page<SagaSummary>> {
    const { items, next_cursor } = await listSagas(this.views.store, { tenant_id, ...storeQuery(query) });
    return { items: items.map(summaryOf), next_cursor };
  }

  async read(tenant_id: string, saga_id: string, seen: Seen): Promise<SagaWithSteps | Refusal> {
    const current = await this.views.current(seen);
    const found = await readSaga(this.views.store, tenant_id, saga_id);
    if (!found) return current ? sagaNotFound() : viewsBehind();
    return detailsOf(found);
  }

  /** Newest first. */
  async tickets(tenant_id: string, { status, saga_id, ...page }: TicketsQuery): Promise<Page<ListedTicket>> {
    const which = { ...(saga_id !== undefined && { saga_id }), ...(status !== 'any' && { is_open: status === 'open' }) };
    const { items, next_cursor } = await listSagaTickets(this.views.store, { tenant_id, ...which, ...storeQuery(page) });
    const now_ms = this.configuration.now_ms();
    return { items: items.map((row) => listedTicketOf(row, now_ms)), next_cursor };
  }
}

function listedTicketOf(row: ListedSagaTicket, now_ms: number): ListedTicket {
  const { case_id, definition, definition_version: version, opened_at_ms, closed_at_ms } = row;
  const isUndo = row.ticket === 'compensation_failed';
  return {
    ...ticketOf(row),
    case_id,
    definition: definition === null ? null : { name: definition, version },
    tool: isUndo ? row.undo_tool : row.tool,
    error: parsed(isUndo ? row.undo_error : row.error),
    age_s: Math.max(0, Math.floor(((closed_at_ms ?? now_ms) - opened_at_ms) / 1000)),
  };
}
