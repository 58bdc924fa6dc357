import { callId, parseCallId } from '@countersign/contracts';
import type { Row, Sql, Statement } from '../store.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import { readable } from './state-schemas.js';
import type { ViewSet } from './view-set.js';

/** Korso's case events, and the decisions between them. */
export type CaseHistoryType =
  | 'case_opened'
  | 'case_closed'
  | 'tool_call_pending'
  | 'policy_decided'
  | 'tool_call_pending_approval'
  | 'approval_voted'
  | 'approval_granted'
  | 'approval_denied'
  | 'approval_expired'
  | 'call_cancelled'
  | 'tool_call_rejudged'
  | 'tool_call_in_doubt'
  | 'tool_call_resolved'
  | 'tool_retry_deduplicated'
  | 'tool_call_complete'
  | 'tool_call_failed'
  | 'saga_started'
  | 'compensation_requested'
  | 'compensation_executed'
  | 'compensation_failed'
  | 'saga_ended';

/** Narrow lines, only for events with a case; payloads are joined from `calls` when lines are read. */
export const caseHistoryTables: ViewSet = {
  name: 'case-history',
  version: 2,
  tables: [
    {
      name: 'case_history',
      columns: `tenant_id text NOT NULL, case_id text NOT NULL, hlc int8 NOT NULL, event_id uuid NOT NULL, seq int2 NOT NULL,
        type text NOT NULL, at_ms int8 NOT NULL, partition int2, call_uuid uuid, detail text`,
      key: ['tenant_id', 'case_id', 'hlc', 'event_id', 'seq'],
    },
  ],
};

/** One line of a case's timeline. An event gives one line, or two if it resolves a doubt and so ends the call (`seq` 0 and 1). */
export interface CaseHistoryWrite {
  tenant_id: string;
  case_id: string;
  hlc: number;
  event_id: string;
  seq: number;
  type: CaseHistoryType;
  at_ms: number;
  /** null for events of the case itself. */
  call_id: string | null;
  /** JSON of what a later revision would overwrite in the call's state (the decision of this revision); else null. */
  detail_json: string | null;
}

/** With the current state of its call (packed `CallState`), null for events of the case itself. */
export interface CaseHistoryRow extends CaseHistoryWrite {
  state: Buffer | null;
}

interface StoredLine extends Row {
  hlc: number;
  event_id: string;
  seq: number;
  type: CaseHistoryType;
  at_ms: number;
  partition: number | null;
  call_uuid: string | null;
  detail: string | null;
  state: Buffer | null;
}

export interface CaseHistoryQuery {
  tenant_id: string;
  case_id: string;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
  /** Default: oldest. */
  order?: 'oldest' | 'newest';
  /** Only lines of this call. */
  call_id?: string | undefined;
}

/** Where a list begins, before or after every line. */
const BEGINNING = {
  oldest: { hlc: -1, event_id: '00000000-0000-0000-0000-000000000000', seq: 0 },
  newest: { hlc: Number.MAX_SAFE_INTEGER, event_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff', seq: 32_767 },
};

/** By (hlc, event_id): every page costs the same. With `call_id` the lines of the case are read through. */
export async function caseHistory(sql: Sql, query: CaseHistoryQuery): Promise<Page<CaseHistoryRow>> {
  const { tenant_id, case_id, limit, after, order = 'oldest', call_id } = query;
  const id = call_id === undefined ? undefined : parseCallId(call_id);
  if (call_id !== undefined && !id) return { items: [], next_cursor: null };
  const [eventId, seq] = after ? after.id.split(':') : [];
  const [sign, direction] = order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  const begin = BEGINNING[order];
  const rows = await sql.query<StoredLine>({
    name: `views_case_history_${order}`,
    text: `SELECT line.hlc, line.event_id, line.seq, line.type, line.at_ms, line.partition, line.call_uuid, line.detail, calls.state
           FROM (SELECT * FROM case_history
                 WHERE tenant_id = $1 AND case_id = $2 AND (hlc, event_id, seq) ${sign} ($3::int8, $4::uuid, $5::int2)
                   AND ($7::uuid IS NULL OR (call_uuid = $7::uuid AND partition = $8::int2))
                 ORDER BY hlc ${direction}, event_id ${direction}, seq ${direction} LIMIT $6) AS line
           LEFT JOIN calls ON calls.call_uuid = line.call_uuid AND calls.partition = line.partition AND calls.tenant_id = $1
           ORDER BY line.hlc ${direction}, line.event_id ${direction}, line.seq ${direction}`,
    params: [
      ...[tenant_id, case_id, after?.at ?? begin.hlc, eventId ?? begin.event_id, Number(seq ?? begin.seq), limit + 1],
      ...[id?.uuid ?? null, id?.partition ?? null],
    ],
  });
  return pageOf(
    (await readable(sql, rows)).map((row) => historyRow(tenant_id, case_id, row)),
    limit,
    (row) => ({ at: row.hlc, id: `${row.event_id}:${row.seq}` }),
  );
}

function historyRow(tenant_id: string, case_id: string, row: StoredLine): CaseHistoryRow {
  const { hlc, event_id, seq, type, at_ms, partition, call_uuid, detail, state } = row;
  const call_id = partition === null || call_uuid === null ? null : callId(partition, call_uuid);
  return { tenant_id, case_id, hlc, event_id, seq, type, at_ms, call_id, detail_json: detail, state };
}

/** An existing line is kept: the same event again changes nothing. */
export function insertCaseHistory(rows: readonly CaseHistoryWrite[]): Statement {
  const ids = rows.map((row) => (row.call_id === null ? undefined : parseCallId(row.call_id)));
  return {
    name: 'views_insert_case_history',
    text: `INSERT INTO {case_history} (tenant_id, case_id, hlc, event_id, seq, type, at_ms, partition, call_uuid, detail)
           SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::uuid[], $5::int2[], $6::text[], $7::int8[],
                                $8::int2[], $9::uuid[], $10::text[])
           ON CONFLICT DO NOTHING`,
    new_rows: true,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.case_id),
      rows.map((row) => row.hlc),
      rows.map((row) => row.event_id),
      rows.map((row) => row.seq),
      rows.map((row) => row.type),
      rows.map((row) => row.at_ms),
      ids.map((id) => id?.partition ?? null),
      ids.map((id) => id?.uuid ?? null),
      rows.map((row) => row.detail_json),
    ],
  };
}
