import type { Sql, Statement } from '../store.js';
import type { ViewSet } from './view-set.js';

/** A record to be written to a topic for analysts: stored together with the offsets of the fold, and deleted once it is on the topic. */
export interface OutboxRow {
  tenant_id: string;
  hlc: number;
  event_id: string;
  /** The topic. */
  stream: string;
  seq: number;
  /** JSON. */
  body: string;
}

export const exportOutboxTables: ViewSet = {
  name: 'standing-exports',
  version: 1,
  tables: [
    {
      name: 'export_outbox',
      columns:
        'tenant_id text NOT NULL, hlc int8 NOT NULL, event_id uuid NOT NULL, stream text NOT NULL, seq int2 NOT NULL, body text NOT NULL',
      key: ['hlc', 'event_id', 'stream', 'seq'],
    },
  ],
};

const keysOf = (rows: readonly Omit<OutboxRow, 'body' | 'tenant_id'>[]) => [
  rows.map((row) => row.hlc),
  rows.map((row) => row.event_id),
  rows.map((row) => row.stream),
  rows.map((row) => row.seq),
];

export function insertOutbox(rows: readonly OutboxRow[]): Statement {
  return {
    name: 'views_insert_export_outbox',
    text: `INSERT INTO {export_outbox} (hlc, event_id, stream, seq, body, tenant_id)
           SELECT * FROM unnest($1::int8[], $2::uuid[], $3::text[], $4::int2[], $5::text[], $6::text[]) ON CONFLICT DO NOTHING`,
    params: [...keysOf(rows), rows.map((row) => row.body), rows.map((row) => row.tenant_id)],
  };
}

/** The oldest, by (hlc, event_id). */
export function readOutbox(sql: Sql, limit: number): Promise<OutboxRow[]> {
  return sql.query<OutboxRow & Record<string, unknown>>({
    name: 'views_read_export_outbox',
    text: 'SELECT tenant_id, hlc, event_id, stream, seq, body FROM export_outbox ORDER BY hlc, event_id, stream, seq LIMIT $1',
    params: [limit],
  });
}

export function deleteOutbox(rows: readonly Omit<OutboxRow, 'body'>[]): Statement {
  return {
    name: 'views_delete_export_outbox',
    text: `DELETE FROM export_outbox AS written USING unnest($1::int8[], $2::uuid[], $3::text[], $4::int2[]) AS done(hlc, event_id, stream, seq)
           WHERE (written.hlc, written.event_id, written.stream, written.seq) = (done.hlc, done.event_id, done.stream, done.seq)`,
    params: keysOf(rows),
  };
}
