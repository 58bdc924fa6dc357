import type { Migration } from './migration.js';

/** Which process sends a notice to a channel: one row for each notice and channel, kept for some days. Times are the database's. */
export const noticeClaims: Migration = {
  name: '0030-notice-claims',
  text: `
CREATE TABLE notice_claims (
  notice_id text NOT NULL,
  webhook_id text NOT NULL,
  owner text NOT NULL,
  settled bool NOT NULL DEFAULT false,
  until_ms int8 NOT NULL,
  PRIMARY KEY (notice_id, webhook_id)
) WITH (fillfactor = 50)`,
};
