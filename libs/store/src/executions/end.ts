import { LEASE } from '../leases/lease-guard.js';
import type { Sql, Statement } from '../store.js';
import { firstOf } from './claim.js';
import type { EndState, ExecutionKey } from './execution-row.js';

export interface ExecutionEnd extends ExecutionKey {
  state: EndState;
  /** Offset in the partition of tool-executed that says so. */
  end_offset: number;
  ended_at_s: number;
}

const UPDATE = `WITH ${LEASE}, items AS (
  SELECT * FROM unnest($2::uuid[], $3::int2[], $4::int2[], $5::int8[], $6::int4[]) AS i(key, attempt, state, end_offset, ended_at_s))
UPDATE tool_executions t SET state = i.state, end_offset = i.end_offset, ended_at_s = i.ended_at_s
FROM lease CROSS JOIN items i WHERE t.key = i.key AND t.attempt = i.attempt`;

// `+ 0` keeps the planner from reading every row of the epoch by its index instead of the batch's keys.
const END = `${UPDATE} AND t.epoch + 0 = $1 AND t.state IN (1, 7) RETURNING t.key, t.attempt`;
const RESOLVE = `${UPDATE} AND (t.state = 3 OR (t.state = 2 AND i.state = 4)) RETURNING t.key, t.attempt`;

function statement(name: string, text: string, epoch: number, items: readonly ExecutionEnd[]): Statement {
  return {
    name,
    text,
    params: [
      epoch,
      items.map((item) => item.key),
      items.map((item) => item.attempt),
      items.map((item) => item.state),
      items.map((item) => item.end_offset),
      items.map((item) => item.ended_at_s),
    ],
  };
}

export function endStatement(epoch: number, items: readonly ExecutionEnd[]): Statement {
  return statement('end_executions', END, epoch, items);
}

/**
 * Ends rows that run under `epoch` itself, in one statement. True where a row was changed: a stale epoch (fenced or
 * expired) ends nothing, and what already ended, also in doubt, stays as it is.
 */
export async function end(sql: Sql, epoch: number, items: readonly ExecutionEnd[]): Promise<boolean[]> {
  if (items.length === 0) return [];
  return firstOf(items, await sql.query<{ key: string; attempt: number }>(endStatement(epoch, items)));
}

/** The only way out of in_doubt (a reconcile, late evidence or a person decided), and from succeeded to compensated. */
export async function resolve(sql: Sql, epoch: number, items: readonly ExecutionEnd[]): Promise<boolean[]> {
  if (items.length === 0) return [];
  const rows = await sql.query<{ key: string; attempt: number }>(statement('resolve_executions', RESOLVE, epoch, items));
  return firstOf(items, rows);
}
