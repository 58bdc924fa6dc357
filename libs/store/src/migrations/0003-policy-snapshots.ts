import type { Migration } from './migration.js';

export const policySnapshots: Migration = {
  name: '0003-policy-snapshots',
  text: `
CREATE TABLE policy_snapshots (
  lane text NOT NULL,
  partition int2 NOT NULL,
  body text NOT NULL,
  offsets text NOT NULL,
  PRIMARY KEY (lane, partition)
)`,
};
