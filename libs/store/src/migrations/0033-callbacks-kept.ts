import type { Migration } from './migration.js';

/** A row says that callbacks_owed holds all that is owed. A database that was emptied has none until its gateway has looked on the log. */
export const callbacksKept: Migration = {
  name: '0033-callbacks-kept',
  text: `
CREATE TABLE callbacks_kept (kept bool PRIMARY KEY CHECK (kept));
INSERT INTO callbacks_kept SELECT true WHERE EXISTS (SELECT 1 FROM projection_offsets)`,
};
