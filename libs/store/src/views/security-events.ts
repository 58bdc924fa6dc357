import { callId, parseCallId } from '@countersign/contracts';
import type { Row, Sql, Statement } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import type { UsageQuery } from './usage.js';
import type { ViewSet } from './view-set.js';

const HOUR_MS = 3_600_000;

/** Refused, forged or malformed requests. The first record of an event counts. */
export const securityTables: ViewSet = {
  name: 'security',
  version: 2,
  tables: [
    {
      name: 'security_events',
      columns: `tenant_id text NOT NULL, event_id uuid NOT NULL, kind text NOT NULL, detail text NOT NULL, principal_id text,
        principal text, partition int2, call_uuid uuid, at_ms int8 NOT NULL, source_partition int2 NOT NULL, source_offset int8 NOT NULL,
        times int4`,
      key: ['tenant_id', 'event_id'],
      indexes: [
        'CREATE INDEX {security_events}_by_time ON {security_events} (tenant_id, at_ms, event_id)',
        'CREATE INDEX {security_events}_by_call ON {security_events} (call_uuid, partition) WHERE call_uuid IS NOT NULL',
      ],
    },
  ],
};

export interface SecurityEventWrite {
  tenant_id: string;
  event_id: string;
  kind: string;
  detail: string;
  principal_id: string | null;
  /** JSON text of the contract's `principal`. */
  principal: string | null;
  call_id: string | null;
  /** Append time of the log. */
  at_ms: number;
  source_partition: number;
  source_offset: number;
  /** How often it happened. */
  times: number;
}

export type SecurityEventRow = Pick<SecurityEventWrite, 'event_id' | 'kind' | 'detail' | 'principal' | 'call_id' | 'at_ms' | 'times'>;

/** At most one row for each event in one statement; a repeated record changes nothing. */
export function insertSecurityEvents(rows: readonly SecurityEventWrite[]): Statement {
  const ids = rows.map((row) => (row.call_id === null ? undefined : parseCallId(row.call_id)));
  return {
    name: 'views_insert_security_events',
    text: `INSERT INTO {security_events} (tenant_id, event_id, kind, detail, principal_id, principal, partition, call_uuid, at_ms,
                                          source_partition, source_offset, times)
           SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int2[], $8::uuid[],
                                $9::int8[], $10::int2[], $11::int8[], $12::int4[])
           ON CONFLICT DO NOTHING`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.event_id),
      rows.map((row) => row.kind),
      rows.map((row) => row.detail),
      rows.map((row) => row.principal_id),
      rows.map((row) => row.principal),
      ids.map((id) => id?.partition ?? null),
      ids.map((id) => id?.uuid ?? null),
      rows.map((row) => row.at_ms),
      rows.map((row) => row.source_partition),
      rows.map((row) => row.source_offset),
      rows.map((row) => row.times),
    ],
  };
}

export interface SecurityEventQuery {
  tenant_id: string;
  kind?: string;
  call_id?: string;
  principal_id?: string;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

interface Stored extends Row {
  event_id: string;
  kind: string;
  detail: string;
  principal: string | null;
  partition: number | null;
  call_uuid: string | null;
  at_ms: number;
  times: number;
}

/** Newest first. */
export async function listSecurityEvents(sql: Sql, query: SecurityEventQuery): Promise<Page<SecurityEventRow>> {
  const conditions = new Conditions()
    .equal('tenant_id', query.tenant_id)
    .equal('kind', query.kind)
    .equal('principal_id', query.principal_id);
  if (query.call_id !== undefined) {
    const id = parseCallId(query.call_id);
    if (!id) return { items: [], next_cursor: null };
    conditions.add('(call_uuid, partition) = (?::uuid, ?::int2)', id.uuid, id.partition);
  }
  if (query.after) conditions.add('(at_ms, event_id) < (?::int8, ?::uuid)', query.after.at, query.after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<Stored>({
    text: `SELECT event_id, kind, detail, principal, partition, call_uuid, at_ms, COALESCE(times, 1) AS times FROM security_events
           WHERE ${conditions.where} ORDER BY at_ms DESC, event_id DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  const found = rows.map(({ partition, call_uuid, ...rest }) => ({
    ...rest,
    call_id: partition === null || call_uuid === null ? null : callId(partition, call_uuid),
  }));
  return pageOf(found, query.limit, (row) => ({ at: row.at_ms, id: row.event_id }));
}

/** Number of events of each kind, by principal and day (days since 1970); whole hours, as in usage queries. */
export function refusedRequests(
  sql: Sql,
  { tenant_id, from_hour, to_hour, agent }: UsageQuery,
  kinds: readonly string[],
): Promise<(Row & { agent: string; day: number; kind: string; times: number })[]> {
  const conditions = new Conditions()
    .equal('tenant_id', tenant_id)
    .add('at_ms >= ?::int8', from_hour * HOUR_MS)
    .add('at_ms < ?::int8', to_hour * HOUR_MS)
    .add('kind = ANY(?::text[])', kinds)
    .equal('principal_id', agent);
  return sql.query({
    text: `SELECT COALESCE(principal_id, '') AS agent, (at_ms / 86400000)::int4 AS day, kind, sum(COALESCE(times, 1))::int8 AS times
           FROM security_events WHERE ${conditions.where} GROUP BY 1, 2, 3`,
    params: conditions.params,
  });
}
