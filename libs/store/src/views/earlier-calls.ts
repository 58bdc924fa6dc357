import type { Row, Sql } from '../store.js';

/** The scope whose calls are counted, for query number `n`. */
export interface ScopeAsk {
  n: number;
  tenant_id: string;
  id: string;
  /** Uuid of the asking call, which is not counted. */
  own: string | null;
}

export interface ScopeCount extends Row {
  n: number;
  tool: string;
  status: string;
  calls: number;
  /** Patterns of injection in their answers, joined by commas; null: none. */
  flags: string | null;
}

/** Calls of cases, or of runs, by tool, status and flags; all scopes in one query. */
export function callsByStatus(sql: Sql, scope: 'case' | 'run', asks: readonly ScopeAsk[]): Promise<ScopeCount[]> {
  return sql.query<ScopeCount>({
    name: `views_calls_by_status_of_${scope}`,
    text: `SELECT w.n, c.tool, c.status, c.flags, count(*)::int8 AS calls
           FROM unnest($1::int4[], $2::text[], $3::text[], $4::uuid[]) AS w(n, tenant_id, id, own)
           JOIN calls c ON c.tenant_id = w.tenant_id AND c.${scope}_id = w.id AND c.requested_at_ms > 0 AND c.call_uuid IS DISTINCT FROM w.own
           GROUP BY w.n, c.tool, c.status, c.flags`,
    params: [asks.map(({ n }) => n), asks.map(({ tenant_id }) => tenant_id), asks.map(({ id }) => id), asks.map(({ own }) => own)],
  });
}

/** An agent whose calls up to an hour are counted, for query number `n`. */
export interface AgentAsk {
  n: number;
  tenant_id: string;
  agent: string;
  hour: number;
  tool: string;
}

/** Window names, and how many whole hours each covers besides the current one. */
export const agentWindows = { last_1h: 1, last_24h: 24, last_30d: 720 } as const;
const WINDOW_MAX = Math.max(...Object.values(agentWindows));

const measures = {
  calls: 'calls',
  succeeded: 'succeeded',
  failed: 'failed',
  denied: 'denied',
  in_doubt: 'in_doubt - u.resolved',
  flagged: 'flagged',
};
const sums = Object.entries(agentWindows).flatMap(([name, hours]) =>
  Object.entries(measures).map(
    ([measure, column]) => `COALESCE(sum(u.${column}) FILTER (WHERE u.hour >= w.hour - ${hours}), 0)::int8 AS ${name}_${measure}`,
  ),
);

/** Counts of the responses to agents, by tool and window: columns `<window>_<measure>`. */
export function agentCounts(sql: Sql, asks: readonly AgentAsk[]): Promise<(Row & { n: number; tool: string })[]> {
  return sql.query({
    name: 'views_agent_counts',
    text: `SELECT w.n, u.tool, ${sums.join(', ')}
           FROM unnest($1::int4[], $2::text[], $3::text[], $4::int4[]) AS w(n, tenant_id, agent, hour)
           JOIN usage_hours u ON u.tenant_id = w.tenant_id AND u.agent = w.agent AND u.hour >= w.hour - ${WINDOW_MAX} AND u.hour <= w.hour
           GROUP BY w.n, u.tool`,
    params: [asks.map(({ n }) => n), asks.map(({ tenant_id }) => tenant_id), asks.map(({ agent }) => agent), asks.map(({ hour }) => hour)],
  });
}

/** Numbers of the queries whose agent used this tool before, whatever the outcome. */
export async function usedBefore(sql: Sql, asks: readonly AgentAsk[]): Promise<Set<number>> {
  const rows = await sql.query<{ n: number }>({
    name: 'views_used_before',
    text: `SELECT w.n FROM unnest($1::int4[], $2::text[], $3::text[], $4::text[]) AS w(n, tenant_id, agent, tool)
           WHERE EXISTS (SELECT 1 FROM usage_hours u WHERE u.tenant_id = w.tenant_id AND u.agent = w.agent AND u.tool = w.tool AND u.calls > 0)`,
    params: [asks.map(({ n }) => n), asks.map(({ tenant_id }) => tenant_id), asks.map(({ agent }) => agent), asks.map(({ tool }) => tool)],
  });
  return new Set(rows.map(({ n }) => n));
}
