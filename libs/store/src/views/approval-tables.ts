import type { ViewSet } from './view-set.js';

/** Requests for approval and their votes. */
export const approvalTables: ViewSet = {
  name: 'approval-inbox',
  version: 4,
  dropped: ['approval_views'],
  tables: [
    {
      name: 'approvals',
      columns: `approval_id text NOT NULL, tenant_id text NOT NULL, partition int2 NOT NULL,
        call_uuid uuid, revision int4, requested_at_ms int8, expires_at_ms int8, requirement text,
        end_kind text, ended_at_ms int8, ended_by text, end_reason text`,
      key: ['tenant_id', 'approval_id'],
      indexes: [
        'CREATE INDEX {approvals}_by_time ON {approvals} (tenant_id, requested_at_ms, approval_id) WHERE requested_at_ms IS NOT NULL',
        `CREATE INDEX {approvals}_open ON {approvals} (tenant_id, requested_at_ms, approval_id)
           WHERE requested_at_ms IS NOT NULL AND end_kind IS NULL`,
      ],
    },
    {
      name: 'approval_votes',
      columns: `tenant_id text NOT NULL, approval_id text NOT NULL, vote_id text NOT NULL,
        voter_id text, vote text, reason text, voted_at_ms int8, verdict text, verdict_reason text, in_parts text`,
      key: ['tenant_id', 'approval_id', 'vote_id'],
    },
    {
      name: 'approval_parts',
      columns: 'tenant_id text NOT NULL, approval_id text NOT NULL, rule text NOT NULL, approvals int4, escalation text',
      key: ['tenant_id', 'approval_id', 'rule'],
    },
  ],
};
