import type { Store } from '../store.js';

const at = (column: string, as: string) => `to_timestamp(${column} / 1000.0) AS ${as}`;

/**
 * SQL views for analysts, by name. Their columns are stable even if the underlying tables change: new columns are only added at the end.
 * One row for each call, case, line of a case's history, and approval.
 */
const analyticsViews: Readonly<Record<string, string>> = {
  analytics_calls: `SELECT partition::text || '-' || call_uuid::text AS call_id, tenant_id, case_id, run_id, tool, status,
    ${at('requested_at_ms', 'requested_at')} FROM calls WHERE requested_at_ms > 0`,
  analytics_cases: `SELECT case_id, tenant_id, state, title, ${at('opened_at_ms', 'opened_at')}, ${at('changed_at_ms', 'changed_at')} FROM cases`,
  analytics_case_history: `SELECT event_id, seq, tenant_id, case_id, type, ${at('at_ms', 'at')},
    partition::text || '-' || call_uuid::text AS call_id, hlc FROM case_history`,
  analytics_approvals: `SELECT approval_id, tenant_id, partition::text || '-' || call_uuid::text AS call_id, revision,
    ${at('requested_at_ms', 'requested_at')}, ${at('expires_at_ms', 'expires_at')}, end_kind AS ended_as,
    ${at('ended_at_ms', 'ended_at')}, ended_by FROM approvals WHERE requested_at_ms IS NOT NULL`,
};

/** Lock id that no other lock uses: services that start at once take turns. */
const TURN = 60_123_006;

/** Creates the views for analysts, or creates them again if an underlying table has changed. */
export async function showAnalytics(store: Store): Promise<void> {
  await store.transaction(async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1::int8)', params: [TURN] });
    for (const [name, query] of Object.entries(analyticsViews)) {
      await sql.query({ text: `CREATE OR REPLACE VIEW ${name} AS ${query}`, params: [] });
    }
  });
}
