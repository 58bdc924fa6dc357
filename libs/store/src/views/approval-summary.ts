import type { Row, Sql } from '../store.js';

/** Most requests that a summary counts, the longest-waiting first, so that it stays cheap. */
export const SUMMARY_MAX = 10_000;

/** Open requests to one group of roles, at one tier. */
export interface PendingGroup extends Row {
  /** Null in records from before evidence existed. */
  tier: string | null;
  /** The first roles of the request, as recorded: JSON text of names. */
  approver_roles: string;
  pending: number;
  oldest_pending_at_ms: number;
}

/** Pending approvals of a tenant by tier and roles, the longest-waiting group first. */
export function pendingApprovals(sql: Sql, tenant_id: string): Promise<PendingGroup[]> {
  return sql.query<PendingGroup>({
    name: 'views_pending_approvals',
    text: `SELECT requirement #>> '{evidence,tier}' AS tier, COALESCE(requirement -> 'approver_roles', '[]')::text AS approver_roles,
             count(*)::int AS pending, min(requested_at_ms)::int8 AS oldest_pending_at_ms
           FROM (SELECT requirement::jsonb AS requirement, requested_at_ms FROM approvals
                 WHERE tenant_id = $1 AND end_kind IS NULL AND requested_at_ms IS NOT NULL
                 ORDER BY requested_at_ms, approval_id LIMIT ${SUMMARY_MAX}) waiting
           GROUP BY 1, 2 ORDER BY 4, 1, 2`,
    params: [tenant_id],
  });
}
