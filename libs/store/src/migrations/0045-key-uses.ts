import type { Migration } from './migration.js';

/** When API keys were last used, to some minutes: a row a key. No event, and not folded again: decisions/0043. */
export const keyUses: Migration = {
  name: '0045-key-uses',
  text: `CREATE TABLE key_uses (
  tenant_id text NOT NULL,
  key_id text NOT NULL,
  last_used_at_ms int8 NOT NULL,
  PRIMARY KEY (tenant_id, key_id)
)`,
};
