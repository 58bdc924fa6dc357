import type { Statement, Store } from '../store.js';
import { type ExecutionRow, executionId } from './execution-row.js';

const RESTORE = `INSERT INTO tool_executions AS t
  (key, attempt, tenant_id, call_uuid, partition, lane, epoch, state, digest8, source_topic, source_offset, end_offset, ended_at_s)
SELECT * FROM unnest($1::uuid[], $2::int2[], $3::text[], $4::uuid[], $5::int2[], $6::text[], $7::int4[], $8::int2[], $9::int8[], $10::int2[], $11::int8[], $12::int8[], $13::int4[])
ON CONFLICT (key, attempt) DO UPDATE SET state = excluded.state, epoch = excluded.epoch, end_offset = excluded.end_offset, ended_at_s = excluded.ended_at_s
WHERE t.call_uuid = excluded.call_uuid AND (t.end_offset IS NULL OR excluded.end_offset > t.end_offset)`;

// Their leases are gone with the earlier database: known again, and fenced, so that what still runs is found as orphaned.
const RESTORE_LEASES = `INSERT INTO executor_leases (epoch, instance_id, lane, lease_until_ms, fenced)
SELECT DISTINCT ON (epoch) epoch, 'restored', lane, 0, true FROM unnest($1::int4[], $2::text[]) AS l(epoch, lane)
ON CONFLICT (epoch) DO NOTHING`;

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
    const some = last.slice(at, at + ROWS_MAX);
    const leases = [some.map(({ epoch }) => epoch), some.map(({ lane }) => lane)];
    await store.atomically([statement(some), { name: 'restore_leases', text: RESTORE_LEASES, params: leases }], 'background');
  }
}
