import type { Migration } from './migration.js';

const viewTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS projection_offsets (
     projection text NOT NULL, topic text NOT NULL, partition int2 NOT NULL,
     next_offset int8 NOT NULL, hlc int8 NOT NULL,
     PRIMARY KEY (projection, topic, partition))`,
  `CREATE TABLE IF NOT EXISTS projection_owners (
     projection text NOT NULL, lane text NOT NULL, partition int2 NOT NULL, owner_id text NOT NULL,
     PRIMARY KEY (projection, lane, partition))`,
  'CREATE TABLE IF NOT EXISTS projection_versions (projection text PRIMARY KEY, version int4 NOT NULL)',
  `CREATE TABLE IF NOT EXISTS calls (
     call_uuid uuid NOT NULL, partition int2 NOT NULL, tenant_id text NOT NULL, case_id text, run_id text,
     tool text NOT NULL, status text NOT NULL, waits_approval boolean NOT NULL,
     requested_at_ms int8 NOT NULL, hlc int8 NOT NULL, state text NOT NULL,
     PRIMARY KEY (call_uuid, partition)) WITH (fillfactor = 85, toast_tuple_target = 8160)`,
  `ALTER TABLE calls ${[
    'call_uuid',
    'partition',
    'tenant_id',
    'case_id',
    'run_id',
    'tool',
    'status',
    'waits_approval',
    'requested_at_ms',
    'hlc',
  ]
    .map((column) => `ALTER ${column} SET STATISTICS 5`)
    .join(', ')}, ALTER state SET STATISTICS 0`,
  'CREATE INDEX IF NOT EXISTS calls_by_time ON calls (tenant_id, requested_at_ms, call_uuid, partition)',
  `CREATE INDEX IF NOT EXISTS calls_by_case ON calls (tenant_id, case_id, requested_at_ms, call_uuid, partition)
     WHERE case_id IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS calls_by_run ON calls (tenant_id, run_id, requested_at_ms, call_uuid, partition)
     WHERE run_id IS NOT NULL`,
  'CREATE INDEX IF NOT EXISTS calls_unrequested ON calls (partition, hlc) WHERE requested_at_ms = 0',
  `CREATE INDEX IF NOT EXISTS calls_unfinished ON calls (call_uuid)
     WHERE status IN ('pending_policy', 'pending_approval', 'running')`,
  'CREATE INDEX IF NOT EXISTS calls_waiting ON calls (tenant_id, case_id) WHERE waits_approval',
  `CREATE TABLE IF NOT EXISTS cases (
     tenant_id text NOT NULL, case_id text NOT NULL, state text NOT NULL, title text,
     opened_at_ms int8 NOT NULL, changed_at_ms int8 NOT NULL, source_offset int8 NOT NULL,
     PRIMARY KEY (tenant_id, case_id))`,
  'CREATE INDEX IF NOT EXISTS cases_by_time ON cases (tenant_id, opened_at_ms, case_id)',
  `CREATE TABLE IF NOT EXISTS case_history (
     tenant_id text NOT NULL, case_id text NOT NULL, hlc int8 NOT NULL, event_id uuid NOT NULL, seq int2 NOT NULL,
     type text NOT NULL, at_ms int8 NOT NULL, partition int2, call_uuid uuid, detail text,
     PRIMARY KEY (tenant_id, case_id, hlc, event_id, seq))`,
  `CREATE TABLE IF NOT EXISTS approvals (
     approval_id text NOT NULL, tenant_id text NOT NULL, partition int2 NOT NULL,
     call_uuid uuid, revision int4, requested_at_ms int8, expires_at_ms int8, requirement text,
     end_kind text, ended_at_ms int8, ended_by text, end_reason text, escalation text,
     PRIMARY KEY (tenant_id, approval_id))`,
  `CREATE TABLE IF NOT EXISTS approval_views (
     tenant_id text NOT NULL, approval_id text NOT NULL, viewer_id text NOT NULL, viewed_at_ms int8 NOT NULL,
     PRIMARY KEY (tenant_id, approval_id, viewer_id))`,
  `CREATE INDEX IF NOT EXISTS approvals_by_time ON approvals (tenant_id, requested_at_ms, approval_id)
     WHERE requested_at_ms IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS approvals_open ON approvals (tenant_id, requested_at_ms, approval_id)
     WHERE requested_at_ms IS NOT NULL AND end_kind IS NULL`,
  `CREATE TABLE IF NOT EXISTS approval_votes (
     tenant_id text NOT NULL, approval_id text NOT NULL, vote_id text NOT NULL,
     voter_id text, vote text, reason text, voted_at_ms int8, verdict text, verdict_reason text,
     PRIMARY KEY (tenant_id, approval_id, vote_id))`,
  'CREATE INDEX IF NOT EXISTS approval_votes_by_time ON approval_votes (tenant_id, voted_at_ms) WHERE voted_at_ms IS NOT NULL',
];

/** The first tables of the views; 0021 replaced them. */
export const views: Migration = { name: '0004-views', text: viewTables.join(';\n') };
