import type { Migration } from './migration.js';

/** Timestamped checkpoints of a distributed installation. An embedded installation keeps them in files, since its tables may be deleted. */
export const auditTimestamps: Migration = {
  name: '0060-audit-timestamps',
  text: 'CREATE TABLE audit_timestamps (number int8 PRIMARY KEY, body text NOT NULL)',
};
