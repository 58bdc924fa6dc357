import type { Migration } from './migration.js';

/** Used if the store is durable; an embedded installation keeps sealed values in a synced file. */
export const sealedValues: Migration = {
  name: '0007-sealed-values',
  text: `
CREATE TABLE sealed_values (
  kind text NOT NULL,
  tenant_id text NOT NULL,
  scope text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  version int4 NOT NULL,
  key_id text NOT NULL,
  wrapped bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at_ms int8 NOT NULL,
  changed_at_ms int8 NOT NULL,
  expires_at_ms int8,
  PRIMARY KEY (tenant_id, kind, scope, owner, name)
)`,
};
