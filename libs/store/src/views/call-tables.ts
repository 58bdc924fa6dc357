import type { ViewSet } from './view-set.js';

/** ANALYZE reads 300 rows of each table: with wide rows it took 46 to 68 ms at the default. Every query of `calls` uses an index. */
const SAMPLED = 1;
const sampled = [
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
  'external_id',
  'metadata',
  'flags',
];

/** The statuses of calls that had, or may have had, an effect; a list of SQL literals. */
export const effectStatuses = "'succeeded', 'in_doubt', 'compensated', 'compensation_failed'";

/**
 * One row for each call. Its payload is written once, as its domain `CallState`, packed (22 µs for each row; JSON took 40 µs and three
 * times the size); the other columns only serve to find it. It stays in its row uncompressed up to 8 KB: compressing 2.5 KB took 26 µs.
 */
export const callTables: ViewSet = {
  name: 'call',
  version: 12,
  readable_since: 2,
  tables: [
    {
      name: 'calls',
      columns: `call_uuid uuid NOT NULL, partition int2 NOT NULL, tenant_id text NOT NULL, case_id text, run_id text,
        tool text NOT NULL, status text NOT NULL, waits_approval boolean NOT NULL,
        requested_at_ms int8 NOT NULL, hlc int8 NOT NULL, state bytea NOT NULL, external_id text, metadata text,
        flags text`,
      key: ['call_uuid', 'partition'],
      storage: 'WITH (fillfactor = 85, toast_tuple_target = 8160)',
      indexes: [
        `ALTER TABLE {calls} ${sampled.map((column) => `ALTER ${column} SET STATISTICS ${SAMPLED}`).join(', ')}, ALTER state SET STATISTICS 0`,
        'CREATE INDEX {calls}_by_time ON {calls} (tenant_id, requested_at_ms, call_uuid, partition)',
        'CREATE INDEX {calls}_by_case ON {calls} (tenant_id, case_id, requested_at_ms, call_uuid, partition) WHERE case_id IS NOT NULL',
        'CREATE INDEX {calls}_by_run ON {calls} (tenant_id, run_id, requested_at_ms, call_uuid, partition) WHERE run_id IS NOT NULL',
        'CREATE INDEX {calls}_by_reference ON {calls} (tenant_id, external_id) WHERE external_id IS NOT NULL',
        'CREATE INDEX {calls}_by_metadata ON {calls} USING gin ((metadata::jsonb) jsonb_path_ops) WHERE metadata IS NOT NULL',
        'CREATE INDEX {calls}_unrequested ON {calls} (partition, hlc) WHERE requested_at_ms = 0',
        `CREATE INDEX {calls}_unfinished ON {calls} (call_uuid) WHERE status IN ('pending_policy', 'pending_approval', 'running')`,
        `CREATE INDEX {calls}_by_tool ON {calls} (tenant_id, tool, requested_at_ms) WHERE status IN (${effectStatuses})`,
        'CREATE INDEX {calls}_waiting ON {calls} (tenant_id, case_id) WHERE waits_approval',
      ],
    },
  ],
};
