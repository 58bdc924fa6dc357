import type { Migration } from './migration.js';

/** Schemas of the states in rows, by the id that their bytes begin with: one line for each version that ever wrote some. */
export const stateSchemas: Migration = {
  name: '0023-state-schemas',
  text: 'CREATE TABLE state_schemas (schema_id int4 PRIMARY KEY, schema text NOT NULL)',
};
