import type { Migration } from './migration.js';

/**
 * Counters of limits, and the decision for each call that they count. slots, verdict: JSON. state: 1 held, 2 its end is counted, 3
 * refused. limit_partitions: partitions whose decisions are counted; a limit holds calls back until all partitions of its lane are
 * counted.
 */
export const limits: Migration = {
  name: '0005-limits',
  text: `
CREATE TABLE limit_counters (
  key text PRIMARY KEY,
  tenant_id text NOT NULL,
  limit_id text NOT NULL,
  subject text NOT NULL,
  per text NOT NULL,
  slots text NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX limit_counters_of_limit ON limit_counters (tenant_id, limit_id, key);
CREATE TABLE limit_reservations (
  call_uuid uuid PRIMARY KEY,
  lane text NOT NULL,
  partition int2 NOT NULL,
  revision int2 NOT NULL,
  state int2 NOT NULL,
  verdict text NOT NULL,
  at_s int4 NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX limit_reservations_held ON limit_reservations (lane, partition) WHERE state = 1;
CREATE INDEX limit_reservations_done ON limit_reservations (at_s) WHERE state <> 1;
CREATE TABLE limit_partitions (
  lane text NOT NULL,
  partition int2 NOT NULL,
  PRIMARY KEY (lane, partition)
)`,
};
