import type { Migration } from './migration.js';

/**
 * Each build of a projection has its own tables, behind views with the stable names (projections/view-set.ts). The tables of 0004 are
 * dropped: their contents are folded again from the log.
 */
export const projections: Migration = {
  name: '0021-projections',
  text: `
    DROP TABLE IF EXISTS calls, cases, case_history, approvals, approval_votes, approval_views, projection_versions CASCADE;
    DELETE FROM projection_offsets;
    DELETE FROM projection_owners;
    ALTER TABLE projection_owners ADD COLUMN plan int4 NOT NULL DEFAULT 0;
    CREATE TABLE projection_plans (projection text PRIMARY KEY, plan int4 NOT NULL);
    INSERT INTO projection_plans (projection, plan) VALUES ('views', 0);
    CREATE TABLE projection_builds (
      number int4 GENERATED ALWAYS AS IDENTITY, projection text NOT NULL, suffix text NOT NULL, version int4 NOT NULL,
      state text NOT NULL, replay text, asked_offset int8,
      PRIMARY KEY (projection, suffix));
    CREATE TABLE projection_replays (
      replay text PRIMARY KEY, worker_id text NOT NULL, worker_until_ms int8 NOT NULL,
      started_at_ms int8 NOT NULL, ended_at_ms int8);
    CREATE TABLE projection_requests (projection text PRIMARY KEY, asked_offset int8 NOT NULL)`,
};
