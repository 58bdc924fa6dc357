import type { Sql } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import type { SagaTicketRow } from './sagas.js';

/** A ticket with what a person needs to know about its saga and step. */
export interface ListedSagaTicket extends SagaTicketRow {
  /** `<saga_id>.<offset of its record>`. */
  ticket_id: string;
  case_id: string | null;
  definition: string | null;
  definition_version: string | null;
  tool: string | null;
  undo_tool: string | null;
  /** JSON text of a `call_error`. */
  error: string | null;
  undo_error: string | null;
  undo_call_id: string | null;
}

export interface SagaTicketQuery {
  tenant_id: string;
  saga_id?: string;
  is_open?: boolean;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Newest first. */
export async function listSagaTickets(sql: Sql, query: SagaTicketQuery): Promise<Page<ListedSagaTicket>> {
  const { is_open, after } = query;
  const conditions = new Conditions().equal('t.tenant_id', query.tenant_id).equal('t.saga_id', query.saga_id);
  if (is_open !== undefined) conditions.add(`t.closed_at_ms IS ${is_open ? '' : 'NOT '}NULL`);
  if (after) conditions.add(`(t.opened_at_ms, t.saga_id || '.' || t.opened_offset) < (?::int8, ?)`, after.at, after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<ListedSagaTicket>({
    text: `SELECT t.*, t.saga_id || '.' || t.opened_offset AS ticket_id, s.case_id, s.definition, s.definition_version,
             r.tool, r.undo_tool, r.error, r.undo_error, r.undo_call_id
           FROM saga_tickets AS t
           LEFT JOIN sagas AS s ON s.tenant_id = t.tenant_id AND s.saga_id = t.saga_id
           LEFT JOIN LATERAL (SELECT * FROM saga_steps AS r WHERE r.tenant_id = t.tenant_id AND r.saga_id = t.saga_id
             AND r.step_id = t.step_id AND (t.call_id IS NULL OR r.call_id = t.call_id) ORDER BY r.attempt DESC LIMIT 1) AS r ON true
           WHERE ${conditions.where} ORDER BY t.opened_at_ms DESC, ticket_id DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(rows, query.limit, ({ opened_at_ms: at, ticket_id: id }) => ({ at, id }));
}
