import type { Migration } from './migration.js';

/**
 * The resources of writes. A resource is an HMAC of a name (a path of segments) in its tenant's namespace. tool_executions.resources: the
 * claimed resources of an attempt, as JSON (`claimedResources` in executions/resource-row.ts); null: it named none. resource_generations:
 * a name that was acted on, or that has names below it (`has_below`). `at_*`: the newest effect on exactly this name; `in_*`: on it or,
 * once it was acted on itself, below it; `*_any`: any effect; `*_replaced`: effects that replace. The call of the newest effect is kept
 * to report what superseded a result. resource_holds: effects that run, or whose outcome is unknown (`doubt_until_ms` is set: other
 * claims wait until then): one row for each name that they act on, with all prefixes of it. flags: 2 replaces. A call writes one row of
 * each table, twice; a name that only has names below it is not written with every call.
 */
export const resources: Migration = {
  name: '0040-resources',
  text: `
ALTER TABLE tool_executions ADD COLUMN resources text;
CREATE TABLE resource_generations (
  resource uuid PRIMARY KEY,
  at_any int8 NOT NULL DEFAULT 0,
  at_replaced int8 NOT NULL DEFAULT 0,
  in_any int8 NOT NULL DEFAULT 0,
  in_replaced int8 NOT NULL DEFAULT 0,
  at_call uuid,
  in_call uuid,
  at_partition int2,
  in_partition int2,
  has_below bool NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE TABLE resource_holds (
  resource uuid NOT NULL,
  key uuid NOT NULL,
  generation int8 NOT NULL,
  doubt_until_ms int8,
  settle_ms int4 NOT NULL,
  attempt int2 NOT NULL,
  flags int2 NOT NULL,
  path uuid[] NOT NULL,
  PRIMARY KEY (resource, key, attempt)
)`,
};
