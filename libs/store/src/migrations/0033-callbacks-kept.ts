import type { Migration } from './migration.js';

/** A row means that callbacks_owed holds all owed callbacks. An emptied database has no row until its gateway has read the log. */
export const callbacksKept: Migration = {
  name: '0033-callbacks-kept',
  text: `
CREATE TABLE callbacks_kept (kept bool PRIMARY KEY CHECK (kept));
INSERT INTO callbacks_kept SELECT true WHERE EXISTS (SELECT 1 FROM projection_offsets)`,
};
