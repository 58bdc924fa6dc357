import type { Migration } from './migration.js';

/**
 * Leases are timed by the database's clock alone. An epoch is one lease; fencing is permanent. drained: the partitions in which a fenced
 * epoch has no open row left.
 */
export const executors: Migration = {
  name: '0002-executors',
  text: `
CREATE TABLE executor_leases (
  epoch int4 PRIMARY KEY,
  instance_id text NOT NULL,
  lane text NOT NULL,
  lease_until_ms int8 NOT NULL,
  fenced bool NOT NULL DEFAULT false,
  drained int2[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);
CREATE TABLE executor_progress (
  lane text NOT NULL,
  partition int2 NOT NULL,
  topic text NOT NULL,
  history_below int8 NOT NULL,
  ends_from int8 NOT NULL,
  PRIMARY KEY (lane, partition, topic)
) WITH (fillfactor = 50)`,
};
