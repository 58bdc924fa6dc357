import type { Row, Sql } from '../store.js';

export interface CountedVoteRow extends Row {
  approval_id: string;
  voter_id: string;
  vote: string;
  requested_at_ms: number;
  voted_at_ms: number;
  viewed_at_ms: number | null;
  rule: string | null;
}

/** Votes that policy counted since a time, the newest first, with when their voter first opened the request. */
export async function countedVotes(sql: Sql, query: { tenant_id: string; since_ms: number; limit: number }): Promise<CountedVoteRow[]> {
  return sql.query<CountedVoteRow>({
    name: 'views_counted_votes',
    text: `SELECT v.approval_id, v.voter_id, v.vote, a.requested_at_ms, v.voted_at_ms, w.viewed_at_ms, a.requirement::json ->> 'rule' AS rule
           FROM approval_votes v
           JOIN approvals a ON a.tenant_id = v.tenant_id AND a.approval_id = v.approval_id AND a.requested_at_ms IS NOT NULL
           LEFT JOIN approval_views w ON w.tenant_id = v.tenant_id AND w.approval_id = v.approval_id AND w.viewer_id = v.voter_id
           WHERE v.tenant_id = $1 AND v.voted_at_ms >= $2 AND v.verdict = 'counted'
           ORDER BY v.voted_at_ms DESC LIMIT $3`,
    params: [query.tenant_id, query.since_ms, query.limit],
  });
}
