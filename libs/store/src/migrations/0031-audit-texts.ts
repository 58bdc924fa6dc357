import type { Migration } from './migration.js';

/** Texts of a distributed installation's audit that are replaced as a whole, such as what witnesses cosigned. */
export const auditTexts: Migration = {
  name: '0031-audit-texts',
  text: `
CREATE TABLE audit_texts (
  name text PRIMARY KEY,
  body text NOT NULL
)`,
};
