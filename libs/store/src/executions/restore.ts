import type { Statement, Store } from '../store.js';
import { type ExecutionRow, executionId } from './execution-row.js';

const RESTORE = `INSERT INTO tool_executions AS t
  (key, attempt, tenant_id, call_uuid, partition, lane, epoch, state, digest8, source_topic, source_offset, end_offset, ended_at_s)
SELECT * FROM unnest($1::uuid[], $2::int2[], $3::text[], $4::uuid[], $5::int2[], $6::text[], $7::int4[], $8::int2[], $9::int8[], $10::int2[], $11::int8[], $12::int8[], $13::int4[])
ON CONFLICT (key, attempt) DO UPDATE SET state = excluded.state, epoch = excluded.epoch, end_offset = excluded.end_offset, ended_at_s = excluded.ended_at_s
WHERE t.call_uuid = excluded.call_uuid AND (t.end_offset IS NULL OR excluded.end_offset > t.end_offset)`;

const ROWS_MAX = 500;

function statement(rows: readonly ExecutionRow[]): Statement {
  const column = <K extends keyof ExecutionRow>(name: K): ExecutionRow[K][] => rows.map((row) => row[name]);
  return {
    name: 'restore_executions',
    text: RESTORE,
    params: [
      column('key'),
      column('attempt'),
      column('tenant_id'),
      column('call_uuid'),
      column('partition'),
      column('lane'),
      column('epoch'),
      column('state'),
      column('digest8'),
      column('source_topic'),
      column('source_offset'),
      column('end_offset'),
      column('ended_at_s'),
    ],
  };
}

/**
 * Refolds rows from the log into an empty or older database, before anything is claimed: no lease is asked for. Of two
 * rows for one key and attempt the later in the list counts, and against a row of the table the later end.
 */
export async function restore(store: Store, rows: readonly ExecutionRow[]): Promise<void> {
  const last = [...new Map(rows.map((row) => [executionId(row), row])).values()];
  for (let at = 0; at < last.length; at += ROWS_MAX) {
    await store.atomically([statement(last.slice(at, at + ROWS_MAX))], 'background');
  }
}
