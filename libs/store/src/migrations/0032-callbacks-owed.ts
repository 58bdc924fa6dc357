import type { Migration } from './migration.js';

/**
 * Calls whose callback_url has not accepted its callback: a row exists from before the call is recorded until then. Times are the
 * database's.
 */
export const callbacksOwed: Migration = {
  name: '0032-callbacks-owed',
  text: `
CREATE TABLE callbacks_owed (
  call_uuid uuid NOT NULL,
  partition int2 NOT NULL,
  tenant_id text NOT NULL,
  owed_at_ms int8 NOT NULL,
  PRIMARY KEY (call_uuid, partition)
)`,
};
