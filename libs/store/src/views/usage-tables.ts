import { usageCounts } from './usage-writes.js';
import type { ViewSet, ViewTable } from './view-set.js';

const counts = (names: readonly string[]) => names.map((name) => `${name} int8 NOT NULL`).join(', ');

/**
 * Usage by hour (UTC, whole hours since 1970), tool and agent; latencies by tool, as log-linear buckets; the responses to duplicates; and
 * billed usage by day, agent, tool and case. Every row belongs to one partition, so that partitions never write to the same row; readers
 * add the rows up.
 */
const tables: readonly ViewTable[] = [
  {
    name: 'usage_hours',
    columns: `tenant_id text NOT NULL, hour int4 NOT NULL, tool text NOT NULL, version text NOT NULL, agent text NOT NULL,
              partition int2 NOT NULL, ${counts(usageCounts.usage_hours)}`,
    key: ['tenant_id', 'hour', 'tool', 'version', 'agent', 'partition'],
    storage: 'WITH (fillfactor = 70)',
    indexes: ['CREATE INDEX {usage_hours}_by_agent ON {usage_hours} (tenant_id, agent, hour)'],
  },
  {
    name: 'usage_latency',
    columns: `tenant_id text NOT NULL, hour int4 NOT NULL, tool text NOT NULL, version text NOT NULL, bucket int4 NOT NULL,
              partition int2 NOT NULL, ${counts(usageCounts.usage_latency)}`,
    key: ['tenant_id', 'hour', 'tool', 'version', 'bucket', 'partition'],
    storage: 'WITH (fillfactor = 70)',
  },
  {
    name: 'usage_replays',
    columns: `tenant_id text NOT NULL, hour int4 NOT NULL, tool text NOT NULL, version text NOT NULL,
              partition int2 NOT NULL, ${counts(usageCounts.usage_replays)}`,
    key: ['tenant_id', 'hour', 'tool', 'version', 'partition'],
  },
  {
    name: 'usage_lines',
    columns: `tenant_id text NOT NULL, day int4 NOT NULL, agent text COLLATE "C" NOT NULL, case_id text COLLATE "C" NOT NULL,
              tool text COLLATE "C" NOT NULL,
              corrects int4 NOT NULL, partition int2 NOT NULL, ${counts(usageCounts.usage_lines)}`,
    key: ['tenant_id', 'day', 'agent', 'case_id', 'tool', 'corrects', 'partition'],
    storage: 'WITH (fillfactor = 70)',
    indexes: ["CREATE INDEX {usage_lines}_by_case ON {usage_lines} (tenant_id, case_id) WHERE case_id <> ''"],
  },
  {
    name: 'usage_corrections',
    columns: `tenant_id text NOT NULL, call_id text NOT NULL, hour int4 NOT NULL, tool text NOT NULL, version text NOT NULL,
              agent text NOT NULL, mode_effective text NOT NULL, mode_observed text, mode_corrected text NOT NULL, reason text,
              corrected_by text NOT NULL, corrected_at_ms int8 NOT NULL, source_offset int8 NOT NULL`,
    key: ['tenant_id', 'call_id'],
    indexes: ['CREATE INDEX {usage_corrections}_by_hour ON {usage_corrections} (tenant_id, hour)'],
  },
];

export const usageTables: ViewSet = { name: 'usage', version: 3, tables };
