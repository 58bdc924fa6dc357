import type { Migration } from './migration.js';

/** Audit texts of a distributed installation that are replaced as a whole, such as the cosignatures of witnesses. */
export const auditTexts: Migration = {
  name: '0031-audit-texts',
  text: `
CREATE TABLE audit_texts (
  name text PRIMARY KEY,
  body text NOT NULL
)`,
};
