import type { Migration } from './migration.js';

/** Signed checkpoints of a distributed installation. An embedded installation keeps them in files, since its tables may be deleted. */
export const auditCheckpoints: Migration = {
  name: '0006-audit-checkpoints',
  text: `
CREATE TABLE audit_checkpoints (
  number int8 PRIMARY KEY,
  is_full bool NOT NULL,
  body text NOT NULL
);
CREATE INDEX audit_checkpoints_full ON audit_checkpoints (number) WHERE is_full`,
};
