import { callId } from '@countersign/contracts';
import type { Row, Sql, Statement } from '../store.js';
import { type ExecutionKey, executionId } from './execution-row.js';

/** `flags` 3 and 1: the attempt replaced or added to exactly this name. 2 and 0: it did so to a name below it. */
const SEEN_NOW = `CASE d.flags WHEN 3 THEN g.in_any WHEN 1 THEN g.in_replaced WHEN 2 THEN g.at_any ELSE g.at_replaced END`;

/** The touched names of the attempt in row `alias`, as rows (resource, flags, seen). */
const touchedOf = (alias: string) => `(SELECT (e->>0)::uuid AS resource, (e->>1)::int2 AS flags, (e->>2)::int8 AS seen
  FROM jsonb_array_elements((${alias}.resources::jsonb)->'touched') e) d`;

/** SQL: a hold `h` counts while its attempt runs or is in doubt. A separate subquery, because a join would start from all attempts. */
export const HOLD_COUNTS = '(SELECT r.state FROM tool_executions r WHERE r.key = h.key AND r.attempt = h.attempt) IN (1, 3)';

// OFFSET 0 forces the planner to read by key: starting from all attempts or all generations would take time proportional to the table.
const runs = (alias: string) => `CROSS JOIN LATERAL (SELECT e.call_uuid, e.partition FROM tool_executions e
    WHERE e.key = h.key AND e.attempt = h.attempt AND e.state IN (1, 3) AND e.key <> ${alias}.key OFFSET 0) r`;
/**
 * Effects that run or whose outcome is unknown, and that overlap the attempt's names; an addition does not invalidate the result of
 * another addition.
 */
const runningOver = (alias: string) => `SELECT r.call_uuid, r.partition FROM ${touchedOf(alias)}
  JOIN resource_holds h ON h.resource = d.resource AND (d.flags & 2 = 2 OR h.flags & 2 = 2) ${runs(alias)}`;
const runningBelow = (alias: string) => `SELECT r.call_uuid, r.partition FROM ${touchedOf(alias)}
  CROSS JOIN LATERAL (SELECT b.key, b.attempt FROM resource_holds b WHERE d.flags & 1 = 1 AND strpos(b.path, d.resource::text) > 0 AND (d.flags & 2 = 2 OR b.flags & 2 = 2)
    AND (SELECT g.has_below FROM resource_generations g WHERE g.resource = d.resource) OFFSET 0) h ${runs(alias)}`;

const movedOf = (alias: string) => `SELECT CASE WHEN d.flags & 1 = 1 THEN g.in_call ELSE g.at_call END AS call_uuid,
    CASE WHEN d.flags & 1 = 1 THEN g.in_partition ELSE g.at_partition END AS partition
  FROM ${touchedOf(alias)} LEFT JOIN resource_generations g ON g.resource = d.resource
  WHERE d.seen <> coalesce(${SEEN_NOW}, -1) AND NOT (g.resource IS NULL AND d.flags & 1 = 0 AND d.seen = 0)`;

/**
 * SQL: whether the result of the attempt in row `alias` is still valid. Null if it named no resource. False if a later effect changed one
 * of its resources or is running on it, or if the row of a generation is missing. Until its own end is folded into the row, the attempt
 * holds its resources, so nothing can have changed them.
 */
export const standsSql = (alias: string): string =>
  `CASE WHEN ${alias}.resources IS NULL THEN NULL ELSE NOT EXISTS (${runningOver(alias)}) AND NOT EXISTS (${runningBelow(alias)})
  AND (${alias}.state = 1 OR NOT EXISTS (${movedOf(alias)})) END`;

/** Whether the result of an attempt is still valid. */
export interface Standing extends ExecutionKey {
  /** Null: the attempt named no resource. */
  stands: boolean | null;
  /** The newest effect on its resources, if that effect invalidated the result and is known. */
  superseded_by: string | null;
}

const STANDING = `SELECT t.key, t.attempt, ${standsSql('t')} AS stands, s.call_uuid, s.partition
FROM unnest($1::uuid[], $2::int2[]) AS i(key, attempt) JOIN tool_executions t ON t.key = i.key AND t.attempt = i.attempt
LEFT JOIN LATERAL (SELECT o.call_uuid, o.partition FROM (${movedOf('t')} UNION ALL ${runningOver('t')} UNION ALL ${runningBelow('t')}) o
  WHERE o.call_uuid IS NOT NULL AND o.call_uuid <> t.call_uuid LIMIT 1) s ON t.resources IS NOT NULL`;

interface StandingRow extends Row, ExecutionKey {
  stands: boolean | null;
  call_uuid: string | null;
  partition: number | null;
}

export function standingStatement(attempts: readonly ExecutionKey[]): Statement {
  return { name: 'standing', text: STANDING, params: [attempts.map(({ key }) => key), attempts.map(({ attempt }) => attempt)] };
}

/** Whether the results of these attempts are still valid; an attempt without a row gives none. List each attempt once. */
export async function readStanding(sql: Sql, attempts: readonly ExecutionKey[]): Promise<Standing[]> {
  if (attempts.length === 0) return [];
  const rows = await sql.query<StandingRow>(standingStatement(attempts));
  const first = new Map(rows.map((row) => [executionId(row), row]));
  return [...first.values()].map(({ key, attempt, stands, call_uuid, partition }) => ({
    key,
    attempt,
    stands,
    superseded_by: stands === false && call_uuid !== null && partition !== null ? callId(partition, call_uuid) : null,
  }));
}
