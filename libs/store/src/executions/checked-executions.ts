import type { Row, Sql, Statement } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionKey, type ExecutionRow } from './execution-row.js';

/** Which rows to read, and which related rows with them. */
export interface CheckedKeys {
  lane: string;
  partition: number;
  attempts: readonly ExecutionKey[];
  /** Leases to read besides those of the rows. */
  epochs: readonly number[];
  resources: readonly string[];
}

/** Rows of the arbiter with the related state that they must agree with, read in one snapshot. */
export interface CheckedExecutions {
  rows: ExecutionRow[];
  /** Ends on tool-executed below this offset are folded; null: no executor has owned the partition yet. */
  ends_from: number | null;
  leases: { epoch: number; fenced: boolean; drained: boolean }[];
  generations: { resource: string; at_any: number; in_any: number }[];
}

// One statement, so that everything is read in one snapshot.
const READ = `WITH found AS (SELECT ${EXECUTION_COLUMNS} FROM unnest($3::uuid[], $4::int2[]) AS i(key, attempt)
  JOIN tool_executions t ON t.key = i.key AND t.attempt = i.attempt)
SELECT (SELECT max(ends_from) FROM executor_progress WHERE lane = $1 AND partition = $2) AS ends_from,
  (SELECT coalesce(json_agg(f), '[]')::text FROM found f) AS rows,
  (SELECT coalesce(json_agg(json_build_object('epoch', l.epoch, 'fenced', l.fenced, 'drained', $2 = ANY (l.drained))), '[]')::text
    FROM executor_leases l WHERE l.epoch = ANY ($5::int4[]) OR l.epoch IN (SELECT epoch FROM found)) AS leases,
  (SELECT coalesce(json_agg(json_build_object('resource', g.resource, 'at_any', g.at_any, 'in_any', g.in_any)), '[]')::text
    FROM resource_generations g WHERE g.resource = ANY ($6::uuid[])) AS generations`;

/** For EXPLAIN in specs. */
export function checkedExecutionsStatement({ lane, partition, attempts, epochs, resources }: CheckedKeys): Statement {
  const params = [lane, partition, attempts.map(({ key }) => key), attempts.map(({ attempt }) => attempt), [...epochs], [...resources]];
  return { name: 'checked_executions', text: READ, params };
}

export async function readCheckedExecutions(sql: Sql, keys: CheckedKeys): Promise<CheckedExecutions> {
  interface Read extends Row {
    ends_from: number | null;
    rows: string;
    leases: string;
    generations: string;
  }
  const [read] = await sql.query<Read>(checkedExecutionsStatement(keys));
  const { ends_from, rows, leases, generations } = read as Read;
  return {
    ends_from,
    rows: JSON.parse(rows) as CheckedExecutions['rows'],
    leases: JSON.parse(leases) as CheckedExecutions['leases'],
    generations: JSON.parse(generations) as CheckedExecutions['generations'],
  };
}

/** Rows of one lane and partition after a key, in key order: for scanning all of them. */
export async function executionsAfter(
  sql: Sql,
  { lane, partition }: Pick<CheckedKeys, 'lane' | 'partition'>,
  after: ExecutionKey,
  limit: number,
): Promise<ExecutionRow[]> {
  const text = `SELECT ${EXECUTION_COLUMNS} FROM tool_executions t
WHERE (t.key, t.attempt) > ($3::uuid, $4::int2) AND t.lane = $1 AND t.partition = $2 ORDER BY t.key, t.attempt LIMIT $5`;
  const params = [lane, partition, after.key, after.attempt, limit];
  return await sql.query<ExecutionRow & Row>({ name: 'executions_after', text, params });
}
