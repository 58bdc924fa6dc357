import type { Migration } from './migration.js';

/**
 * Circuits of tool versions that failed lately or are open; a missing row is a closed circuit. slots: JSON that is opaque to the store.
 * revision: changed by each write, compared before it. probe_by: who may try the tool while the circuit is half-open. Not refolded from the
 * log: decisions/0045.
 */
export const circuits: Migration = {
  name: '0047-circuits',
  text: `CREATE TABLE circuits (
  tenant_id text NOT NULL,
  tool text NOT NULL,
  version text NOT NULL,
  revision int8 NOT NULL,
  slots text NOT NULL,
  failing_since_ms int8 NOT NULL,
  openings int4 NOT NULL,
  opened_at_ms int8,
  open_until_ms int8,
  probe_by text,
  probe_until_ms int8,
  PRIMARY KEY (tenant_id, tool, version)
) WITH (fillfactor = 50)`,
};
