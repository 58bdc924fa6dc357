import type { Row, Sql } from '../store.js';

/** Open requests for approval of all tenants together. */
export interface PendingApprovals extends Row {
  /** Not expired. */
  pending: number;
  oldest_pending_at_ms: number | null;
  /** Expired, but not ended yet. */
  overdue: number;
  oldest_overdue_at_ms: number | null;
}

const NONE: PendingApprovals = { pending: 0, oldest_pending_at_ms: null, overdue: 0, oldest_overdue_at_ms: null };

/** Number of open requests at a time, and since when the longest has waited. Reads only open requests, through their index. */
export async function pendingOfAllTenants(sql: Sql, now_ms: number): Promise<PendingApprovals> {
  const [row] = await sql.query<PendingApprovals>({
    name: 'views_pending_of_all',
    text: `SELECT count(*) FILTER (WHERE NOT is_overdue)::int8 AS pending, min(requested_at_ms) FILTER (WHERE NOT is_overdue)::int8 AS oldest_pending_at_ms,
             count(*) FILTER (WHERE is_overdue)::int8 AS overdue, min(requested_at_ms) FILTER (WHERE is_overdue)::int8 AS oldest_overdue_at_ms
           FROM (SELECT requested_at_ms, COALESCE(expires_at_ms <= $1::int8, false) AS is_overdue FROM approvals
                 WHERE end_kind IS NULL AND requested_at_ms IS NOT NULL) open`,
    params: [now_ms],
  });
  return row ?? NONE;
}
