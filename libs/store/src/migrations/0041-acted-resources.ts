import type { Migration } from './migration.js';

/**
 * resource_generations.acted: false for a name that only has names below it and that no attempt acts on or ever acted on. A claim below
 * it then need not look for effects on it. True for names that existed before. resource_holds: `path` is the text of all other names that
 * the attempt touches; the rest is in the row of the attempt.
 */
export const actedResources: Migration = {
  name: '0041-acted-resources',
  text: `
ALTER TABLE resource_generations ADD COLUMN acted bool NOT NULL DEFAULT true;
ALTER TABLE resource_holds ALTER COLUMN path TYPE text USING array_to_string(path, ','), DROP COLUMN generation, DROP COLUMN settle_ms`,
};
