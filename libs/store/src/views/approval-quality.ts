import type { Row, Sql, Statement } from '../store.js';
import type { ViewSet } from './view-set.js';

/**
 * How people handled a request for approval: one narrow row for each request, whoever decided it. `looks` has the time of each person's
 * first look; `decisions` has [person, vote, time] by the id of each vote that policy counted.
 */
export const approvalQualityTables: ViewSet = {
  name: 'approval-quality',
  version: 1,
  tables: [
    {
      name: 'approval_quality',
      columns: `tenant_id text NOT NULL, approval_id text NOT NULL, rule text, requested_at_ms int8, decided_at_ms int8,
        looks jsonb NOT NULL, decisions jsonb NOT NULL, source_partition int2 NOT NULL, source_offset int8`,
      key: ['tenant_id', 'approval_id'],
      storage: 'WITH (fillfactor = 70)',
      indexes: ['CREATE INDEX {approval_quality}_by_time ON {approval_quality} (tenant_id, decided_at_ms) WHERE decided_at_ms IS NOT NULL'],
    },
  ],
};

export type DecisionEntry = readonly [voter_id: string, vote: string, voted_at_ms: number];

/** What one or more events report about a request; what they do not report is null or empty. */
export interface ApprovalQualityWrite {
  tenant_id: string;
  approval_id: string;
  /** The first request, and its offset in `policy-decided`. */
  request: { rule: string | null; requested_at_ms: number; offset: number } | null;
  /** Time of the first look by person, ms. */
  looks: Map<string, number>;
  /** By the id of the vote. */
  decisions: Map<string, DecisionEntry>;
  partition: number;
}

const json = (entries: ReadonlyMap<string, unknown>): string => JSON.stringify(Object.fromEntries(entries));

/** The time of the newest known decision. */
function decidedAt({ decisions }: ApprovalQualityWrite): number | null {
  let newest: number | null = null;
  for (const [, , at_ms] of decisions.values()) newest = Math.max(newest ?? at_ms, at_ms);
  return newest;
}

/**
 * At most one row for each request in one statement. The first value of each look and each vote is kept, in whatever order the topics are
 * read.
 */
export function upsertApprovalQuality(rows: readonly ApprovalQualityWrite[]): Statement {
  return {
    name: 'views_upsert_approval_quality',
    text: `INSERT INTO {approval_quality} AS q (tenant_id, approval_id, rule, requested_at_ms, decided_at_ms, looks, decisions,
                                                source_partition, source_offset)
           SELECT tenant_id, approval_id, rule, requested_at_ms, decided_at_ms, looks::jsonb, decisions::jsonb, part, at
           FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::text[], $7::text[], $8::int2[], $9::int8[])
             AS new (tenant_id, approval_id, rule, requested_at_ms, decided_at_ms, looks, decisions, part, at)
           ON CONFLICT (tenant_id, approval_id) DO UPDATE SET
             rule = CASE WHEN q.requested_at_ms IS NULL THEN excluded.rule ELSE q.rule END,
             source_offset = CASE WHEN q.requested_at_ms IS NULL THEN excluded.source_offset ELSE q.source_offset END,
             requested_at_ms = COALESCE(q.requested_at_ms, excluded.requested_at_ms),
             decided_at_ms = GREATEST(q.decided_at_ms, excluded.decided_at_ms),
             looks = excluded.looks || q.looks,
             decisions = excluded.decisions || q.decisions`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.approval_id),
      rows.map((row) => row.request?.rule ?? null),
      rows.map((row) => row.request?.requested_at_ms ?? null),
      rows.map(decidedAt),
      rows.map((row) => json(row.looks)),
      rows.map((row) => json(row.decisions)),
      rows.map((row) => row.partition),
      rows.map((row) => row.request?.offset ?? null),
    ],
  };
}

export interface CountedVoteRow extends Row {
  approval_id: string;
  voter_id: string;
  vote: string;
  requested_at_ms: number;
  voted_at_ms: number;
  viewed_at_ms: number | null;
  rule: string | null;
}

/** Votes that policy counted since a time, newest first, with the time when the voter first opened the request. */
export async function countedVotes(sql: Sql, query: { tenant_id: string; since_ms: number; limit: number }): Promise<CountedVoteRow[]> {
  return sql.query<CountedVoteRow>({
    name: 'views_counted_votes',
    text: `SELECT q.approval_id, d.value ->> 0 AS voter_id, d.value ->> 1 AS vote, q.requested_at_ms, (d.value ->> 2)::int8 AS voted_at_ms,
                  (q.looks ->> (d.value ->> 0))::int8 AS viewed_at_ms, q.rule
           FROM approval_quality q CROSS JOIN LATERAL jsonb_each(q.decisions) AS d
           WHERE q.tenant_id = $1 AND q.decided_at_ms >= $2 AND q.requested_at_ms IS NOT NULL AND (d.value ->> 2)::int8 >= $2
           ORDER BY voted_at_ms DESC, q.approval_id, d.key LIMIT $3`,
    params: [query.tenant_id, query.since_ms, query.limit],
  });
}
