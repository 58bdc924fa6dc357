import type { ViewSet } from './view-set.js';

/** Number of offsets of a partition that one row covers. */
export const TRUST_BUCKET = 256;

/**
 * Outcomes of calls, for trust scores. A row covers 256 offsets of one partition, one caller and one version, with one bit for each
 * offset. It needs no separate event, is the same whatever the order of folding, and can reproduce the state at every past offset.
 */
export const trustTables: ViewSet = {
  name: 'trust',
  version: 1,
  tables: [
    {
      name: 'trust_runs',
      columns: `tenant_id text NOT NULL, tool text NOT NULL, version text NOT NULL, principal text NOT NULL, fact text NOT NULL,
        topic text NOT NULL, partition int2 NOT NULL, first_offset int8 NOT NULL,
        runs bit(256) NOT NULL, succeeded bit(256) NOT NULL, verified bit(256) NOT NULL,
        valid bit(256) NOT NULL, timely bit(256) NOT NULL, sound bit(256) NOT NULL,
        first_at_ms int8 NOT NULL, last_at_ms int8 NOT NULL, confirmed_at_ms int8`,
      key: ['tenant_id', 'tool', 'version', 'principal', 'topic', 'partition', 'first_offset'],
      storage: 'WITH (fillfactor = 85)',
      indexes: [
        'CREATE INDEX {trust_runs}_by_principal ON {trust_runs} (tenant_id, principal)',
        'CREATE INDEX {trust_runs}_by_position ON {trust_runs} (topic, partition, first_offset)',
      ],
    },
    {
      name: 'trust_facts',
      columns: `tenant_id text NOT NULL, kind text NOT NULL, tool text NOT NULL, version text NOT NULL,
        topic text NOT NULL, partition int2 NOT NULL, source_offset int8 NOT NULL, at_ms int8 NOT NULL, detail text NOT NULL`,
      key: ['topic', 'partition', 'source_offset'],
      indexes: ['CREATE INDEX {trust_facts}_by_tool ON {trust_facts} (tool, kind)'],
    },
  ],
};
