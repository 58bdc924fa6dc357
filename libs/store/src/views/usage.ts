import type { Row, Sql } from '../store.js';
import { Conditions } from './conditions.js';
import { usageCounts } from './usage-writes.js';

/** A usage query for a tenant and the hours from (inclusive) to (exclusive), whole hours since 1970. */
export interface UsageQuery {
  tenant_id: string;
  from_hour: number;
  to_hour: number;
  agent?: string | undefined;
  tool?: string | undefined;
}

/** Sums by the requested columns; the measures of `usageCounts.usage_hours` as numbers. */
export type SummedRow = Row & Record<(typeof usageCounts.usage_hours)[number], number>;

const sums = (names: readonly string[]) => names.map((name) => `sum(${name})::int8 AS ${name}`).join(', ');

function within(query: UsageQuery, unit: 'hour' | 'day'): Conditions {
  const per = unit === 'day' ? 24 : 1;
  const conditions = new Conditions().equal('tenant_id', query.tenant_id);
  conditions.add(`${unit} >= ?::int4`, Math.floor(query.from_hour / per)).add(`${unit} < ?::int4`, Math.ceil(query.to_hour / per));
  return conditions.equal('tool', query.tool);
}

/** Usage by tool and version. */
export function usageByTool(sql: Sql, query: UsageQuery): Promise<(SummedRow & { tool: string; version: string })[]> {
  const conditions = within(query, 'hour').equal('agent', query.agent);
  return sql.query({
    text: `SELECT tool, version, ${sums(usageCounts.usage_hours)} FROM usage_hours WHERE ${conditions.where} GROUP BY tool, version`,
    params: conditions.params,
  });
}

/** Usage by agent, or by day (days since 1970). */
export function usageByName(sql: Sql, query: UsageQuery, by: 'agent' | 'day'): Promise<(SummedRow & { name: string })[]> {
  const conditions = within(query, 'hour').equal('agent', query.agent);
  const name = by === 'agent' ? 'agent' : '(hour / 24)::text';
  return sql.query({
    text: `SELECT ${name} AS name, ${sums(usageCounts.usage_hours)} FROM usage_hours WHERE ${conditions.where} GROUP BY 1`,
    params: conditions.params,
  });
}

/** Usage by case, in the order of case ids; whole days. `after`: the last case of the previous page. */
export function usageByCase(
  sql: Sql,
  query: UsageQuery & { limit: number; after?: string | undefined },
): Promise<(SummedRow & { name: string })[]> {
  const conditions = within(query, 'day').equal('agent', query.agent).add("case_id <> ''");
  if (query.after !== undefined) conditions.add('case_id > ?', query.after);
  const limit = conditions.param(query.limit);
  return sql.query({
    text: `SELECT case_id AS name, ${sums(usageCounts.usage_lines)} FROM usage_lines WHERE ${conditions.where}
           GROUP BY case_id ORDER BY case_id LIMIT ${limit}`,
    params: conditions.params,
  });
}

/** Counts of latency buckets by tool, version and day. */
export function latencyBuckets(
  sql: Sql,
  query: Omit<UsageQuery, 'agent'>,
): Promise<(Row & { tool: string; version: string; day: number; bucket: number; calls: number })[]> {
  const conditions = within(query, 'hour');
  return sql.query({
    text: `SELECT tool, version, hour / 24 AS day, bucket, sum(calls)::int8 AS calls FROM usage_latency WHERE ${conditions.where}
           GROUP BY tool, version, day, bucket`,
    params: conditions.params,
  });
}

/** The responses to duplicates, by tool, version and day. */
export function replayAnswers(
  sql: Sql,
  query: Omit<UsageQuery, 'agent'>,
): Promise<(Row & { tool: string; version: string; day: number; duplicates: number; compared: number; equal_answers: number })[]> {
  const conditions = within(query, 'hour');
  return sql.query({
    text: `SELECT tool, version, hour / 24 AS day, ${sums(usageCounts.usage_replays)} FROM usage_replays WHERE ${conditions.where}
           GROUP BY tool, version, day`,
    params: conditions.params,
  });
}

/** Corrections of approval modes by tool, version, agent and day: how many add an observed change, and how many remove one. */
export function modeCorrections(
  sql: Sql,
  query: UsageQuery,
): Promise<(Row & { tool: string; version: string; agent: string; day: number; more: number; less: number })[]> {
  const conditions = within(query, 'hour').equal('agent', query.agent);
  return sql.query({
    text: `SELECT tool, version, agent, hour / 24 AS day,
             count(*) FILTER (WHERE mode_observed IS NULL AND mode_corrected <> mode_effective)::int8 AS more,
             count(*) FILTER (WHERE mode_observed IS NOT NULL AND mode_corrected = mode_effective)::int8 AS less
           FROM usage_corrections WHERE ${conditions.where} GROUP BY tool, version, agent, day`,
    params: conditions.params,
  });
}

/** Sums over all tenants since an hour: for the few series of /metrics. */
export async function usageSince(sql: Sql, from_hour: number): Promise<SummedRow | undefined> {
  const rows = await sql.query<SummedRow>({
    name: 'views_usage_since',
    text: `SELECT ${usageCounts.usage_hours.map((name) => `COALESCE(sum(${name}), 0)::int8 AS ${name}`).join(', ')}
           FROM usage_hours WHERE hour >= $1::int4`,
    params: [from_hour],
  });
  return rows[0];
}
