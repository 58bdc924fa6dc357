import { LEASE } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';

// A lease that is not in the table was lost with an earlier database: its owner is fenced as well.
const ORPHANS = `SELECT ${EXECUTION_COLUMNS} FROM tool_executions t LEFT JOIN executor_leases l ON l.epoch = t.epoch
WHERE t.lane = $1 AND t.partition = $2 AND t.state IN (1, 7) AND l.fenced IS DISTINCT FROM false
ORDER BY t.key, t.attempt LIMIT $3`;

const TAKE_OVER = `WITH ${LEASE}, items AS (SELECT * FROM unnest($2::uuid[], $3::int2[], $4::int4[]) AS i(key, attempt, epoch))
UPDATE tool_executions t SET epoch = $1 FROM lease CROSS JOIN items i
WHERE t.key = i.key AND t.attempt = i.attempt AND t.epoch = i.epoch AND t.state IN (1, 7)
RETURNING ${EXECUTION_COLUMNS}`;

/** Rows of one partition that run under a fenced epoch. Taken over they leave the list: ask again until it is empty. */
export async function orphans(sql: Sql, lane: string, partition: number, limit = 500): Promise<ExecutionRow[]> {
  const params = [lane, partition, limit];
  return await sql.query<ExecutionRow & Record<string, unknown>>({ name: 'orphans', text: ORPHANS, params });
}

/** Makes `epoch` the owner of rows that `orphans` gave; returns those that it now owns. */
export async function takeOver(sql: Sql, epoch: number, rows: readonly ExecutionRow[]): Promise<ExecutionRow[]> {
  if (rows.length === 0) return [];
  const params = [epoch, rows.map(({ key }) => key), rows.map(({ attempt }) => attempt), rows.map((row) => row.epoch)];
  return await sql.query<ExecutionRow & Record<string, unknown>>({ name: 'take_over', text: TAKE_OVER, params });
}
