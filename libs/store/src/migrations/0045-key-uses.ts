import type { Migration } from './migration.js';

/**
 * The last use of each API key, accurate to some minutes: one row for each key. Uses have no event and are not refolded: decisions/0043.
 */
export const keyUses: Migration = {
  name: '0045-key-uses',
  text: `CREATE TABLE key_uses (
  tenant_id text NOT NULL,
  key_id text NOT NULL,
  last_used_at_ms int8 NOT NULL,
  PRIMARY KEY (tenant_id, key_id)
)`,
};
