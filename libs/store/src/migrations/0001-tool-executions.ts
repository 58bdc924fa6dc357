import type { Migration } from './migration.js';

/**
 * The arbiter of writes: one narrow row for each key and attempt, without payload (the log holds the result). state: 1 running, 2
 * succeeded, 3 in_doubt, 4 compensated, 5 released, 6 failed_with_effect, 7 reading. source_topic: 0 policy-decided, 1 approval-granted.
 * digest8: the first 52 bits of the discriminating digest (safe as a JavaScript number). No index may include a column that an end
 * changes, and half of each page is kept free, so that an end stays in its page and touches no index (measured: half the cost, and no
 * bloat that VACUUM must clear).
 */
export const toolExecutions: Migration = {
  name: '0001-tool-executions',
  text: `
CREATE TABLE tool_executions (
  key uuid NOT NULL,
  call_uuid uuid NOT NULL,
  digest8 int8 NOT NULL,
  source_offset int8 NOT NULL,
  end_offset int8,
  epoch int4 NOT NULL,
  ended_at_s int4,
  attempt int2 NOT NULL,
  partition int2 NOT NULL,
  state int2 NOT NULL,
  source_topic int2 NOT NULL,
  tenant_id text NOT NULL,
  lane text NOT NULL,
  PRIMARY KEY (key, attempt)
) WITH (fillfactor = 50);
CREATE INDEX tool_executions_epoch ON tool_executions (epoch, partition);
CREATE TABLE approval_uses (
  approval_id text PRIMARY KEY,
  call_uuid uuid NOT NULL
)`,
};
