import type { Migration } from './migration.js';

/** How far each running service has folded the configuration. Hints, timed by the database's clock: correctness does not depend on them. */
export const configurationInstances: Migration = {
  name: '0020-configuration-instances',
  text: `
CREATE TABLE configuration_instances (
  instance_id text PRIMARY KEY,
  service text NOT NULL,
  config_offset int8 NOT NULL,
  seen_at_ms int8 NOT NULL
) WITH (fillfactor = 50)`,
};
