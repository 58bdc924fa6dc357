import type { Migration } from './migration.js';

/** The packs that an instance cannot use, as JSON (`UnhealthyPack[]` in instances/unhealthy-packs.ts). */
export const unhealthyPacks: Migration = {
  name: '0042-unhealthy-packs',
  text: `ALTER TABLE configuration_instances ADD COLUMN unhealthy_packs text NOT NULL DEFAULT '[]'`,
};
