import { LEASE } from '../leases/lease-guard.js';
import type { Row, Sql, Statement, Store } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';

const ORPHANS = `SELECT ${EXECUTION_COLUMNS} FROM tool_executions t
WHERE t.epoch = ANY ($1::int4[]) AND t.partition = $2 AND t.state IN (1, 7)
ORDER BY t.key, t.attempt LIMIT $3`;

const DRAINED = `UPDATE executor_leases SET drained = drained || $2::int2
WHERE epoch = ANY ($1::int4[]) AND fenced AND NOT ($2::int2 = ANY (drained))`;

const UNDRAINED = 'SELECT epoch FROM executor_leases WHERE lane = $1 AND fenced AND NOT ($2::int2 = ANY (drained))';

// `+ 0` as in end.ts: finds rows by key, not by epoch.
const TAKE_OVER = `WITH ${LEASE}, items AS (SELECT * FROM unnest($2::uuid[], $3::int2[], $4::int4[]) AS i(key, attempt, epoch))
UPDATE tool_executions t SET epoch = $1 FROM lease CROSS JOIN items i
WHERE t.key = i.key AND t.attempt = i.attempt AND t.epoch + 0 = i.epoch AND t.state IN (1, 7)
RETURNING ${EXECUTION_COLUMNS}`;

/**
 * Rows of one partition that run under a fenced epoch. A takeover removes them from this list: call again until it is empty. The epochs
 * are then marked as drained and their rows are not searched again, since a fenced epoch claims nothing more.
 */
export async function orphans(store: Store, lane: string, partition: number, limit = 500): Promise<ExecutionRow[]> {
  const params = [lane, partition];
  const epochs = await store.query<{ epoch: number }>({ name: 'undrained_epochs', text: UNDRAINED, params });
  // Called every second: without undrained epochs no row is read.
  if (epochs.length === 0) return [];
  const drained = epochs.map(({ epoch }) => epoch);
  const rows = await store.query<ExecutionRow & Row>({ name: 'orphans', text: ORPHANS, params: [drained, partition, limit] });
  if (rows.length === 0) await store.query({ name: 'drained_epochs', text: DRAINED, params: [drained, partition] });
  return rows;
}

/** For EXPLAIN in specs. */
export function takeOverStatement(epoch: number, rows: readonly ExecutionRow[]): Statement {
  const params = [epoch, rows.map(({ key }) => key), rows.map(({ attempt }) => attempt), rows.map((row) => row.epoch)];
  return { name: 'take_over', text: TAKE_OVER, params };
}

/** Makes `epoch` the owner of rows that `orphans` returned; returns the rows that it now owns. */
export async function takeOver(sql: Sql, epoch: number, rows: readonly ExecutionRow[]): Promise<ExecutionRow[]> {
  if (rows.length === 0) return [];
  return await sql.query<ExecutionRow & Record<string, unknown>>(takeOverStatement(epoch, rows));
}

/** Removes a row that `epoch` took over and that has no record on the log, and releases the approval that its claim consumed. */
export async function forgetClaim(
  sql: Sql,
  epoch: number,
  row: { readonly key: string; readonly attempt: number; readonly call_uuid: string },
): Promise<void> {
  const text = `WITH ${LEASE}, gone AS (DELETE FROM tool_executions t USING lease
  WHERE t.key = $2::uuid AND t.attempt = $3::int2 AND t.call_uuid = $4::uuid AND t.epoch + 0 = $1 AND t.state IN (1, 7) RETURNING t.call_uuid),
freed AS (DELETE FROM resource_holds h USING gone WHERE h.key = $2::uuid AND h.attempt = $3::int2)
DELETE FROM approval_uses u USING gone WHERE u.call_uuid = gone.call_uuid`;
  await sql.query({ name: 'forget_claim', text, params: [epoch, row.key, row.attempt, row.call_uuid] });
}
