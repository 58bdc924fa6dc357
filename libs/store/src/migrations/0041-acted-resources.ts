import type { Migration } from './migration.js';

/**
 * resource_generations.acted: false for a name that only has names below it, and that nothing acts on or ever acted on. Whoever acts
 * below it need not look for effects on it. True for the names that were there before.
 * resource_holds: `path` is all other names that the attempt touches, as text; the rest is in the row of the attempt.
 */
export const actedResources: Migration = {
  name: '0041-acted-resources',
  text: `
ALTER TABLE resource_generations ADD COLUMN acted bool NOT NULL DEFAULT true;
ALTER TABLE resource_holds ALTER COLUMN path TYPE text USING array_to_string(path, ','), DROP COLUMN generation, DROP COLUMN settle_ms`,
};
