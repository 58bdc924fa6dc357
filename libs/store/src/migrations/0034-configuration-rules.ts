import type { Migration } from './migration.js';

/** The rules by which an instance folds the configuration (instances.ts). Earlier versions do not set it: 0. */
export const configurationRules: Migration = {
  name: '0034-configuration-rules',
  text: 'ALTER TABLE configuration_instances ADD COLUMN rules int4 NOT NULL DEFAULT 0',
};
