import type { Statement, Store } from '../store.js';
import { type ExecutionRow, executionId } from './execution-row.js';
import { NEWEST_WINS } from './resource-row.js';

const RESTORE = `INSERT INTO tool_executions AS t
  (key, attempt, tenant_id, call_uuid, partition, lane, epoch, state, digest8, source_topic, source_offset, end_offset, ended_at_s, resources)
SELECT * FROM unnest($1::uuid[], $2::int2[], $3::text[], $4::uuid[], $5::int2[], $6::text[], $7::int4[], $8::int2[], $9::int8[], $10::int2[], $11::int8[], $12::int8[], $13::int4[], $14::text[])
ON CONFLICT (key, attempt) DO UPDATE SET state = excluded.state, epoch = excluded.epoch, end_offset = excluded.end_offset, ended_at_s = excluded.ended_at_s, resources = coalesce(excluded.resources, t.resources)
WHERE t.call_uuid = excluded.call_uuid AND (t.end_offset IS NULL OR excluded.end_offset > t.end_offset)`;

/** The holds of attempts, from the resources text of their rows: one for each name that they act on. */
const HOLDS_OF = `SELECT (e->>0)::uuid AS resource, w.key, w.attempt, ((e->>1)::int2) & 2 AS flags, (w.resources::jsonb->>'settle_ms')::int4 AS settle_ms,
    (SELECT coalesce(string_agg(p->>0, ','), '') FROM jsonb_array_elements(w.resources::jsonb->'touched') p WHERE p->>0 <> e->>0) AS path`;

// Their leases were lost with the database. They are recreated as fenced, so that running rows are found as orphans.
const RESTORE_LEASES = `INSERT INTO executor_leases (epoch, instance_id, lane, lease_until_ms, fenced)
SELECT DISTINCT ON (epoch) epoch, 'restored', lane, 0, true FROM unnest($1::int4[], $2::text[]) AS l(epoch, lane)
ON CONFLICT (epoch) DO NOTHING`;

// Generations take the maximum, so that partitions may be restored in any order. Running or doubtful attempts hold their resources again.
const ROWS = `rows AS (SELECT * FROM unnest($1::uuid[], $2::int2[], $3::uuid[], $4::int2[], $5::int2[], $6::int4[], $7::text[])
  AS i(key, attempt, call_uuid, partition, state, ended_at_s, resources))`;
const TOUCHED = `${ROWS}, touched AS (SELECT i.key, i.attempt, i.call_uuid, i.partition, i.state, (i.resources::jsonb->>'generation')::int8 AS generation,
    (e->>0)::uuid AS resource, (e->>1)::int2 AS flags
  FROM rows i CROSS JOIN LATERAL jsonb_array_elements(i.resources::jsonb->'touched') e)`;
const RESTORE_HOLDS = `WITH ${ROWS},
freed AS (DELETE FROM resource_holds h USING rows i WHERE h.key = i.key AND h.attempt = i.attempt AND i.state NOT IN (1, 3)),
held AS (${HOLDS_OF}, w.state, w.ended_at_s FROM rows w CROSS JOIN LATERAL jsonb_array_elements(w.resources::jsonb->'touched') e
  WHERE w.state IN (1, 3) AND ((e->>1)::int2) & 1 = 1)
INSERT INTO resource_holds (resource, key, attempt, flags, path, doubt_until_ms)
SELECT h.resource, h.key, h.attempt, h.flags, h.path, CASE WHEN h.state = 3 THEN h.ended_at_s::int8 * 1000 + h.settle_ms END
FROM held h ON CONFLICT (resource, key, attempt) DO UPDATE SET doubt_until_ms = excluded.doubt_until_ms`;
const RESTORE_GENERATIONS = `WITH ${TOUCHED},
moved AS (SELECT t.resource, max(t.generation) AS in_any, coalesce(max(t.generation) FILTER (WHERE t.flags & 2 = 2), 0) AS in_replaced,
    coalesce(max(t.generation) FILTER (WHERE t.flags & 1 = 1), 0) AS at_any, coalesce(max(t.generation) FILTER (WHERE t.flags = 3), 0) AS at_replaced,
    (array_agg(t.call_uuid ORDER BY t.generation DESC))[1] AS in_call, (array_agg(t.partition ORDER BY t.generation DESC))[1] AS in_partition,
    (array_agg(t.call_uuid ORDER BY t.generation DESC) FILTER (WHERE t.flags & 1 = 1))[1] AS at_call,
    (array_agg(t.partition ORDER BY t.generation DESC) FILTER (WHERE t.flags & 1 = 1))[1] AS at_partition
  FROM touched t WHERE t.state NOT IN (1, 5) GROUP BY t.resource),
below AS (SELECT t.resource, true AS has_below FROM touched t WHERE t.flags & 1 = 0 GROUP BY t.resource)
INSERT INTO resource_generations AS g (resource, at_any, at_replaced, in_any, in_replaced, at_call, in_call, at_partition, in_partition, has_below)
SELECT coalesce(m.resource, b.resource), coalesce(m.at_any, 0), coalesce(m.at_replaced, 0), coalesce(m.in_any, 0), coalesce(m.in_replaced, 0), m.at_call, m.in_call,
  m.at_partition, m.in_partition, coalesce(b.has_below, false) FROM moved m FULL JOIN below b ON b.resource = m.resource ORDER BY 1
ON CONFLICT (resource) DO UPDATE SET acted = true, has_below = g.has_below OR excluded.has_below, ${NEWEST_WINS}`;

const ROWS_MAX = 500;

/** Holds and generations of the rows that name resources; empty if no row does. */
function resourceStatements(rows: readonly ExecutionRow[]): Statement[] {
  const named = rows.filter(({ resources }) => resources !== null);
  if (named.length === 0) return [];
  const column = <K extends keyof ExecutionRow>(name: K): ExecutionRow[K][] => named.map((row) => row[name]);
  const params = [
    column('key'),
    column('attempt'),
    column('call_uuid'),
    column('partition'),
    column('state'),
    column('ended_at_s'),
    column('resources'),
  ];
  return [
    { name: 'restore_holds', text: RESTORE_HOLDS, params },
    { name: 'restore_generations', text: RESTORE_GENERATIONS, params },
  ];
}

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
      column('resources'),
    ],
  };
}

/**
 * Restores rows from the log into an empty or older database before anything is claimed; no lease is required. Of two rows for one key
 * and attempt the later one in the list wins; against an existing row the later end wins.
 */
export async function restore(store: Store, rows: readonly ExecutionRow[]): Promise<void> {
  const last = [...new Map(rows.map((row) => [executionId(row), row])).values()];
  for (let at = 0; at < last.length; at += ROWS_MAX) {
    const some = last.slice(at, at + ROWS_MAX);
    const leases = [some.map(({ epoch }) => epoch), some.map(({ lane }) => lane)];
    const leased = { name: 'restore_leases', text: RESTORE_LEASES, params: leases };
    await store.atomically([statement(some), leased, ...resourceStatements(some)], 'background');
  }
}
