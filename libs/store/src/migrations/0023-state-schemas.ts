import type { Migration } from './migration.js';

/** Schemas of the packed states in rows, by the id at the start of their bytes: one row for each schema version that was ever written. */
export const stateSchemas: Migration = {
  name: '0023-state-schemas',
  text: 'CREATE TABLE state_schemas (schema_id int4 PRIMARY KEY, schema text NOT NULL)',
};
