import type { Row, Sql } from '../store.js';
import type { ItemNow } from './changed-items.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import type { SagaAnswerWrite, SagaSkipWrite, SagaStepWrite, SagaTicketWrite, SagaWaitRow, SagaWrite } from './saga-rows.js';

export const sagaStatuses = [
  ...(['pending', 'running', 'awaiting_approval', 'compensating'] as const),
  ...(['completed', 'compensated', 'compensation_failed', 'aborted'] as const),
] as const;
export type SagaViewStatus = (typeof sagaStatuses)[number];
const OPEN: ReadonlySet<SagaViewStatus> = new Set(['pending', 'running', 'awaiting_approval', 'compensating']);

export interface SagaRow extends SagaWrite {
  status: SagaViewStatus;
}

const steps = (condition: string): string =>
  `EXISTS (SELECT 1 FROM saga_steps r WHERE r.tenant_id = sagas.tenant_id AND r.saga_id = sagas.saga_id AND ${condition})`;

const PIVOT = `(SELECT max(p.end_offset) FROM saga_steps p WHERE p.tenant_id = sagas.tenant_id AND p.saga_id = sagas.saga_id
  AND p.is_irreversible AND p.effect = 'happened')`;
/** After the pivot, or in compensation since before the pivot took effect. */
const IN_SCOPE = `(r.undo_state IS NOT NULL OR COALESCE(GREATEST(r.end_offset, r.requested_offset) > ${PIVOT}, true))`;
const UNDO_DUE = `NOT sagas.paused AND r.effect = 'happened' AND NOT r.is_late AND r.is_irreversible IS NOT TRUE AND r.compensation_tool IS NOT NULL
  AND (r.undo_state IS NULL OR r.undo_state = 'again') AND ${IN_SCOPE}`;

/** As `sagaStatusOf` of the domain. */
const STATUS = `COALESCE(sagas.end_status, CASE
  WHEN sagas.compensating THEN CASE
    WHEN ${steps(`r.undo_state IN ('failed', 'unconfirmed', 'missing')`)}
      AND NOT ${steps(`(r.undo_state = 'requested' OR r.effect = 'unknown' OR (${UNDO_DUE}))`)} THEN 'compensation_failed'
    ELSE 'compensating' END
  WHEN EXISTS (SELECT 1 FROM saga_waits w WHERE w.tenant_id = sagas.tenant_id AND w.saga_id = sagas.saga_id AND w.ended_as IS NULL
    AND w.wait NOT IN ('event', 'time')) THEN 'awaiting_approval'
  WHEN sagas.advanced THEN 'running' ELSE 'pending' END) AS status`;

/** The row of a saga; undefined if this tenant has no saga of that id. */
export async function readSagaRow(sql: Sql, tenant_id: string, saga_id: string): Promise<SagaRow | undefined> {
  const [saga] = await sql.query<SagaRow>({
    name: 'views_read_saga',
    text: `SELECT *, ${STATUS} FROM sagas WHERE tenant_id = $1 AND saga_id = $2 AND started_at_ms IS NOT NULL`,
    params: [tenant_id, saga_id],
  });
  return saga;
}

/** Status and case of those of the sagas that this tenant has. */
export async function sagasNow(sql: Sql, tenant_id: string, saga_ids: readonly string[]): Promise<Map<string, ItemNow>> {
  const rows = await sql.query<Pick<SagaRow, 'saga_id' | 'status' | 'case_id'> & Row>({
    name: 'views_sagas_now',
    text: `SELECT saga_id, case_id, ${STATUS} FROM sagas WHERE tenant_id = $1 AND saga_id = ANY($2::text[]) AND started_at_ms IS NOT NULL`,
    params: [tenant_id, saga_ids],
  });
  return new Map(rows.map(({ saga_id, status, case_id }) => [saga_id, { status, case_id }]));
}

/** A saga with its parts, each in the order of its records. */
export interface ReadSaga {
  saga: SagaRow;
  steps: SagaStepWrite[];
  waits: SagaWaitRow[];
  tickets: SagaTicketRow[];
  skips: SagaSkipWrite[];
}

export interface SagaTicketRow extends SagaTicketWrite {
  closed_as: string | null;
  closed_at_ms: number | null;
}

/** @returns undefined if this tenant has no saga of that id. */
export async function readSaga(sql: Sql, tenant_id: string, saga_id: string): Promise<ReadSaga | undefined> {
  const saga = await readSagaRow(sql, tenant_id, saga_id);
  if (!saga) return undefined;
  const part = <R extends Row>(table: string, order: string) =>
    sql.query<R>({
      name: `views_read_${table}`,
      text: `SELECT * FROM ${table} WHERE tenant_id = $1 AND saga_id = $2 ORDER BY ${order}`,
      params: [tenant_id, saga_id],
    });
  const [steps, waits, tickets, skips] = await Promise.all([
    part<SagaStepWrite>('saga_steps', 'source_offset, step_id, iteration, attempt'),
    part<SagaWaitRow>('saga_waits', 'opened_offset'),
    part<SagaTicketRow>('saga_tickets', 'opened_offset'),
    part<SagaSkipWrite>('saga_skips', 'source_offset'),
  ]);
  return { saga, steps, waits, tickets, skips };
}

/** The newest wait of a step; undefined if it never waited. */
export async function readSagaWait(sql: Sql, tenant_id: string, saga_id: string, step_id: string): Promise<SagaWaitRow | undefined> {
  const [wait] = await sql.query<SagaWaitRow>({
    name: 'views_read_saga_wait',
    text: 'SELECT * FROM saga_waits WHERE tenant_id = $1 AND saga_id = $2 AND step_id = $3 ORDER BY opened_offset DESC LIMIT 1',
    params: [tenant_id, saga_id, step_id],
  });
  return wait;
}

/** What became of a request about a saga; undefined if it has no answer yet. */
export async function readSagaAnswer(sql: Sql, tenant_id: string, command_id: string): Promise<SagaAnswerWrite | undefined> {
  const [answer] = await sql.query<SagaAnswerWrite>({
    name: 'views_read_saga_answer',
    text: 'SELECT * FROM saga_answers WHERE tenant_id = $1 AND command_id = $2',
    params: [tenant_id, command_id],
  });
  return answer;
}

/** How many sagas of a tenant have not ended; stops counting at `max`. */
export async function countOpenSagas(sql: Sql, tenant_id: string, max: number): Promise<number> {
  const [found] = await sql.query<{ open: number }>({
    name: 'views_count_open_sagas',
    text: `SELECT count(*)::int4 AS open FROM (SELECT 1 FROM sagas WHERE tenant_id = $1 AND end_status IS NULL LIMIT $2) AS found`,
    params: [tenant_id, max],
  });
  return found?.open ?? 0;
}

/** How many sagas of a tenant that undo earlier calls have not ended; stops counting at `max`. */
export async function countOpenUndos(sql: Sql, tenant_id: string, max: number): Promise<number> {
  const [found] = await sql.query<{ open: number }>({
    name: 'views_count_open_undos',
    text: `SELECT count(*)::int4 AS open FROM (SELECT 1 FROM sagas WHERE tenant_id = $1 AND end_status IS NULL AND undoes > 0 LIMIT $2) AS found`,
    params: [tenant_id, max],
  });
  return found?.open ?? 0;
}

/** A late effect that its saga does not know, and where the records of the saga begin. */
export interface UnknownLateEffect extends Row {
  tenant_id: string;
  saga_id: string;
  call_id: string;
  partition: number;
  first_offset: number;
}

/** Late effects of steps that their sagas still take for steps without an effect; at most `max`. */
export function listUnknownLateEffects(sql: Sql, max: number): Promise<UnknownLateEffect[]> {
  return sql.query<UnknownLateEffect>({
    name: 'views_unknown_late_effects',
    text: `SELECT l.tenant_id, l.saga_id, l.call_id, s.source_partition::int4 AS partition, s.source_offset AS first_offset
      FROM saga_late_effects l JOIN sagas s ON s.tenant_id = l.tenant_id AND s.saga_id = l.saga_id
      JOIN saga_steps r ON r.tenant_id = l.tenant_id AND r.saga_id = l.saga_id AND r.step_id = l.step_id AND r.call_id = l.call_id
      WHERE r.effect = 'none' ORDER BY l.tenant_id, l.saga_id, l.call_id LIMIT $1`,
    params: [max],
  });
}

/** Where the records of a saga begin that ended, if a ticket of a late effect of this step is open. */
export async function readPlaceOfLateTicket(
  sql: Sql,
  { tenant_id, saga_id, step_id }: { tenant_id: string; saga_id: string; step_id: string },
): Promise<{ partition: number; first_offset: number } | undefined> {
  const [found] = await sql.query<{ partition: number; first_offset: number }>({
    name: 'views_place_of_late_ticket',
    text: `SELECT s.source_partition::int4 AS partition, s.source_offset AS first_offset FROM sagas s
      WHERE s.tenant_id = $1 AND s.saga_id = $2 AND s.end_status IS NOT NULL AND EXISTS (SELECT 1 FROM saga_tickets t
        WHERE t.tenant_id = $1 AND t.saga_id = $2 AND t.step_id = $3 AND t.ticket = 'late_effect' AND t.closed_at_ms IS NULL)`,
    params: [tenant_id, saga_id, step_id],
  });
  return found;
}

export interface SagaQuery {
  tenant_id: string;
  case_id?: string;
  /** Name of the definition. */
  definition?: string;
  /** Any of these. */
  status?: readonly SagaViewStatus[];
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Newest first. */
export async function listSagas(sql: Sql, query: SagaQuery): Promise<Page<SagaRow>> {
  const { status, after } = query;
  const conditions = new Conditions().equal('tenant_id', query.tenant_id).add('started_at_ms IS NOT NULL');
  conditions.equal('case_id', query.case_id).equal('definition', query.definition);
  // Open sagas are few: their index finds them.
  if (status?.every((one) => OPEN.has(one))) conditions.add('end_status IS NULL');
  if (status) conditions.add('status = ANY(?::text[])', status);
  if (after) conditions.add('(started_at_ms, saga_id) < (?::int8, ?)', after.at, after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<SagaRow>({
    text: `SELECT * FROM (SELECT *, ${STATUS} FROM sagas) AS found WHERE ${conditions.where}
           ORDER BY started_at_ms DESC, saga_id DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(rows, query.limit, (row) => ({ at: row.started_at_ms as number, id: row.saga_id }));
}
