import type { Migration } from './migration.js';

/**
 * Requested comparisons of the whole log. `views`: compares the rows of the database too. `found`: the damage, as JSON (`string[]`, the
 * first of `damages`). `fault`: why it ended before it had compared everything.
 */
export const scrubRuns: Migration = {
  name: '0043-scrub-runs',
  text: `CREATE TABLE scrub_runs (
  run_id uuid PRIMARY KEY,
  views bool NOT NULL,
  asked_at_ms int8 NOT NULL,
  started_at_ms int8,
  ended_at_ms int8,
  records int8 NOT NULL DEFAULT 0,
  records_total int8 NOT NULL DEFAULT 0,
  rows int8 NOT NULL DEFAULT 0,
  damages int4 NOT NULL DEFAULT 0,
  found text NOT NULL DEFAULT '[]',
  fault text
)`,
};
