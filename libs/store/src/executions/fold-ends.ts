import type { ClaimedResources } from '@countersign/contracts';
import type { Sql, Statement } from '../store.js';
import type { EndState, ExecutionKey } from './execution-row.js';
import { NEWEST_WINS, touchFlags } from './resource-row.js';

/** An end that is recorded on the log. */
export interface LoggedEnd extends ExecutionKey {
  call_uuid: string;
  state: EndState;
  /** Offset in the partition of tool-executed. */
  end_offset: number;
  ended_at_s: number;
  resources: EndedResources;
}

/** The only name that an attempt acted on, if nothing ever acted on a name above it. */
export interface EndedOnOne {
  resource: string;
  flags: number;
  generation: number;
}

/** What an end changes in the resource tables. `none`: its row certainly claimed none. `of_row`: read it from the row. */
export type EndedResources = 'none' | 'of_row' | EndedOnOne;

/** SQL for the new value of a generation column, from the matching holds. */
const newest = (matches: string, column: string): string =>
  `max(CASE WHEN h.resolved_ms IS NULL OR g.${column} IS NULL OR g.${column} = h.generation THEN h.generation ELSE greatest(g.${column} + 1, h.resolved_ms) END) FILTER (WHERE ${matches}) AS ${column}`;

/** SQL for the call of the newest matching hold. */
const caller = (matches: string, column: string): string =>
  `(array_agg(h.call_uuid ORDER BY h.generation DESC) FILTER (WHERE ${matches}))[1] AS ${column}_call,
    (array_agg(h.partition ORDER BY h.generation DESC) FILTER (WHERE ${matches}))[1] AS ${column}_partition`;

const ENDS = '$1::uuid[], $2::int2[], $3::uuid[], $4::int2[], $5::int8[], $6::int4[]';
const COLUMNS = 'key, attempt, call_uuid, state, end_offset, ended_at_s';
const fold = (
  params: string,
  columns: string,
): string => `UPDATE tool_executions t SET state = i.state, end_offset = i.end_offset, ended_at_s = i.ended_at_s
FROM unnest(${params}) AS i(${columns})
WHERE t.key = i.key AND t.attempt = i.attempt AND t.call_uuid = i.call_uuid
  AND (t.end_offset IS NULL OR (t.state = 3 AND t.end_offset < i.end_offset))`;
const FOLD = fold(ENDS, COLUMNS);

// The first end of a local attempt on one name: written without reading the resources of its row.
const FOLD_ON_ONE = `WITH folded AS (${fold(`${ENDS}, $7::uuid[], $8::int2[], $9::int8[]`, `${COLUMNS}, resource, flags, generation`)}
  RETURNING t.key, t.attempt, t.state, t.call_uuid, t.partition, i.resource, i.flags, i.generation),
freed AS (DELETE FROM resource_holds h USING folded f WHERE h.resource = f.resource AND h.key = f.key AND h.attempt = f.attempt)
INSERT INTO resource_generations AS g (resource, in_any, in_replaced, at_any, at_replaced, in_call, in_partition, at_call, at_partition)
SELECT f.resource, f.generation, r.replaced, f.generation, r.replaced, f.call_uuid, f.partition, f.call_uuid, f.partition
FROM folded f CROSS JOIN LATERAL (SELECT CASE WHEN f.flags & 2 = 2 THEN f.generation ELSE 0 END AS replaced) r WHERE f.state <> 5 ORDER BY f.resource
ON CONFLICT (resource) DO UPDATE SET ${NEWEST_WINS}`;

// The resolution of a doubt moves the resources that it held once more, but only if another effect ran in between: then it is unknown which
// of the two effects the system shows. Names that only have names below them are not written: no result depends on them.
const FOLD_WITH_RESOURCES = `WITH folded AS (${FOLD} RETURNING t.key, t.attempt, t.state, t.call_uuid, t.partition, t.ended_at_s, t.resources),
acted AS MATERIALIZED (SELECT (e->>0)::uuid AS resource, (e->>1)::int2 AS flags, (f.resources::jsonb->>'generation')::int8 AS generation,
    (f.resources::jsonb->>'settle_ms')::int4 AS settle_ms,
    f.key, f.attempt, f.state, f.call_uuid, f.partition, f.ended_at_s::int8 * 1000 AS ended_at_ms
  FROM folded f CROSS JOIN LATERAL jsonb_array_elements(f.resources::jsonb->'touched') e WHERE f.resources IS NOT NULL),
doubted AS (UPDATE resource_holds h SET doubt_until_ms = a.ended_at_ms + a.settle_ms
  FROM acted a WHERE h.resource = a.resource AND h.key = a.key AND h.attempt = a.attempt AND a.state = 3 AND a.flags & 1 = 1),
freed AS (DELETE FROM resource_holds h USING acted a
  WHERE h.resource = a.resource AND h.key = a.key AND h.attempt = a.attempt AND a.state <> 3 AND a.flags & 1 = 1),
happened AS (SELECT a.resource, a.flags, a.generation, a.state, a.call_uuid, a.partition,
    (SELECT a.ended_at_ms FROM resource_holds h WHERE h.resource = a.resource AND h.key = a.key AND h.attempt = a.attempt AND h.doubt_until_ms IS NOT NULL) AS resolved_ms
  FROM acted a WHERE a.flags & 1 = 1
  UNION ALL SELECT a.resource, a.flags, a.generation, a.state, a.call_uuid, a.partition,
    (SELECT a.ended_at_ms FROM resource_holds h WHERE h.key = a.key AND h.attempt = a.attempt AND h.doubt_until_ms IS NOT NULL LIMIT 1)
  FROM acted a JOIN resource_generations g ON g.resource = a.resource AND g.at_any > 0 WHERE a.flags & 1 = 0),
moved AS (SELECT h.resource, ${newest('true', 'in_any')}, ${newest('h.flags & 2 = 2', 'in_replaced')},
    ${newest('h.flags & 1 = 1', 'at_any')}, ${newest('h.flags = 3', 'at_replaced')},
    ${caller('true', 'in')}, ${caller('h.flags & 1 = 1', 'at')}
  FROM happened h LEFT JOIN resource_generations g ON g.resource = h.resource
  WHERE h.state <> 5 OR h.resolved_ms IS NOT NULL GROUP BY h.resource)
INSERT INTO resource_generations AS g (resource, in_any, in_replaced, at_any, at_replaced, in_call, in_partition, at_call, at_partition)
SELECT m.resource, m.in_any, coalesce(m.in_replaced, 0), coalesce(m.at_any, 0), coalesce(m.at_replaced, 0), m.in_call, m.in_partition, m.at_call, m.at_partition
FROM moved m ORDER BY m.resource
ON CONFLICT (resource) DO UPDATE SET ${NEWEST_WINS}`;

/** What the first end of an attempt changes. `acted_above`: as the claim returned it. */
export function endedOn({ touched, generation }: ClaimedResources, acted_above: boolean): EndedResources {
  const [one, ...more] = touched.filter(({ exact }) => exact);
  if (one === undefined || more.length > 0 || acted_above) return 'of_row';
  return { resource: one.resource, flags: touchFlags(one), generation };
}

const endParams = (ends: readonly LoggedEnd[]): unknown[] => [
  ends.map((end) => end.key),
  ends.map((end) => end.attempt),
  ends.map((end) => end.call_uuid),
  ends.map((end) => end.state),
  ends.map((end) => end.end_offset),
  ends.map((end) => end.ended_at_s),
];

function onOneStatement(ends: readonly LoggedEnd[], ones: readonly EndedOnOne[]): Statement {
  const params = [...endParams(ends), ones.map((one) => one.resource), ones.map((one) => one.flags), ones.map((one) => one.generation)];
  return { name: 'fold_ends_on_one', text: FOLD_ON_ONE, params };
}

/**
 * Folds ends from the log into their rows. No lease is required, because the log has already decided. The first end of a row is final,
 * except that a later end resolves a doubt. An effect or a doubt invalidates earlier results on the resources of its row; an end without
 * effect frees them and changes nothing. Run the statements in one transaction, in this order.
 */
export function foldEndsStatements(ends: readonly LoggedEnd[]): Statement[] {
  const [plain, byRow, onOne]: [LoggedEnd[], LoggedEnd[], LoggedEnd[]] = [[], [], []];
  const ones = new Map<string, EndedOnOne>();
  for (const end of ends) {
    const { resources } = end;
    if (resources === 'none') plain.push(end);
    // A statement can write a name only once. A resource held by a doubt stays held.
    else if (resources === 'of_row' || end.state === 3 || ones.has(resources.resource)) byRow.push(end);
    else {
      ones.set(resources.resource, resources);
      onOne.push(end);
    }
  }
  const statements: Statement[] = [];
  if (plain.length > 0) statements.push({ name: 'fold_ends', text: FOLD, params: endParams(plain) });
  if (onOne.length > 0) statements.push(onOneStatement(onOne, [...ones.values()]));
  if (byRow.length > 0) statements.push({ name: 'fold_ends_with_resources', text: FOLD_WITH_RESOURCES, params: endParams(byRow) });
  return statements;
}

/** The row of an attempt in doubt, and the offset of its record. */
export interface DoubtRow extends ExecutionKey {
  end_offset: number | null;
}

/** The rows of a call in doubt: two if it claimed a second key. Rows in doubt are few, and their own index keeps this cheap. */
export async function doubtsOfCall(sql: Sql, call_uuid: string): Promise<DoubtRow[]> {
  const text = 'SELECT key, attempt, end_offset FROM tool_executions WHERE call_uuid = $1 AND state = 3';
  return await sql.query<DoubtRow & Record<string, unknown>>({ name: 'doubt_of_call', text, params: [call_uuid] });
}

/** Restores the digests of refolded rows (0: unknown). */
export async function foldDigests(sql: Sql, digests: readonly { key: string; call_uuid: string; digest8: number }[]): Promise<void> {
  if (digests.length === 0) return;
  const text = `UPDATE tool_executions t SET digest8 = i.digest8 FROM unnest($1::uuid[], $2::uuid[], $3::int8[]) AS i(key, call_uuid, digest8)
WHERE t.key = i.key AND t.call_uuid = i.call_uuid AND t.digest8 = 0`;
  const params = [digests.map((each) => each.key), digests.map((each) => each.call_uuid), digests.map((each) => each.digest8)];
  await sql.query({ name: 'fold_digests', text, params });
}

const COMPENSATE = `UPDATE tool_executions t SET state = 4 FROM unnest($1::uuid[], $2::int2[]) AS i(key, attempt)
WHERE t.key = i.key AND t.attempt = i.attempt AND t.state IN (2, 6)`;

/** Marks compensated effects: their keys are free again. Each attempt keeps its end. */
export function compensateStatement(attempts: readonly ExecutionKey[]): Statement {
  return { name: 'compensate', text: COMPENSATE, params: [attempts.map(({ key }) => key), attempts.map(({ attempt }) => attempt)] };
}
