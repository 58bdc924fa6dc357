import type { Migration } from './migration.js';

/** Used if the store is durable; an embedded installation keeps the keys of subjects in a synced file. */
export const subjectKeys: Migration = {
  name: '0030-subject-keys',
  text: `
CREATE TABLE subject_keys (
  key_id uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  subject text NOT NULL,
  markings text NOT NULL,
  period text NOT NULL,
  wrapped bytea NOT NULL,
  created_at_ms int8 NOT NULL,
  UNIQUE (tenant_id, subject, markings, period)
)`,
};
