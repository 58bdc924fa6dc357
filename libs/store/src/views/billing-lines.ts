import type { Row, Sql } from '../store.js';

/** What a tenant's agent used of a tool for a case in a period. */
export interface BillingRow extends Row {
  agent: string;
  /** '' if the calls had no case. */
  case_id: string;
  tool: string;
  /** Month (yyyymm) of a closed period that this line corrects: its calls were in doubt when that period ended. 0: none. */
  corrects: number;
  calls: number;
  executed: number;
  succeeded: number;
  failed: number;
  cached: number;
  in_doubt: number;
  resolved: number;
  duration_us: number;
  cost_micros: number;
}

export type BillingKey = Pick<BillingRow, 'agent' | 'case_id' | 'tool' | 'corrects'>;

/** Lines of the days from (inclusive) to (exclusive), days since 1970, in key order; those after `after`. */
export function billingLines(
  sql: Sql,
  query: { tenant_id: string; from_day: number; to_day: number; limit: number; after?: BillingKey | undefined },
): Promise<BillingRow[]> {
  const { tenant_id, from_day, to_day, limit, after } = query;
  const rest = after ? 'AND (agent, case_id, tool, corrects) > ($5, $6, $7, $8::int4)' : '';
  return sql.query<BillingRow>({
    name: after ? 'views_billing_lines_after' : 'views_billing_lines',
    text: `SELECT agent, case_id, tool, corrects, sum(calls)::int8 AS calls, sum(executed)::int8 AS executed,
             sum(succeeded)::int8 AS succeeded, sum(failed)::int8 AS failed, sum(cached)::int8 AS cached, sum(in_doubt)::int8 AS in_doubt,
             sum(resolved)::int8 AS resolved, sum(duration_us)::int8 AS duration_us, sum(cost_micros)::int8 AS cost_micros
           FROM usage_lines WHERE tenant_id = $1 AND day >= $2::int4 AND day < $3::int4 ${rest}
           GROUP BY agent, case_id, tool, corrects
           HAVING sum(executed) <> 0 OR sum(resolved) <> 0 OR sum(cost_micros) <> 0
           ORDER BY agent, case_id, tool, corrects LIMIT $4::int4`,
    params: [tenant_id, from_day, to_day, limit, ...(after ? [after.agent, after.case_id, after.tool, after.corrects] : [])],
  });
}

/** Tenants with usage in these days. */
export async function tenantsWithUsage(sql: Sql, from_day: number, to_day: number): Promise<string[]> {
  const rows = await sql.query<{ tenant_id: string }>({
    name: 'views_tenants_with_usage',
    text: 'SELECT DISTINCT tenant_id FROM usage_lines WHERE day >= $1::int4 AND day < $2::int4 ORDER BY tenant_id',
    params: [from_day, to_day],
  });
  return rows.map(({ tenant_id }) => tenant_id);
}
