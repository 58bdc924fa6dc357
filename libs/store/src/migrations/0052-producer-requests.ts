import type { Migration } from './migration.js';

/**
 * What producers called their requests, so that a cancel on any partition finds its call, and a request finds a cancel that was read before
 * it. The rows are short-lived: see producer-requests.ts.
 */
export const producerRequests: Migration = {
  name: '0052-producer-requests',
  text: `CREATE TABLE producer_requests (
  tenant_id text NOT NULL,
  producer_id text NOT NULL,
  name_digest text NOT NULL,
  requested_at_ms int8,
  call_id text,
  cancelled_at_ms int8,
  noted_at_ms int8 NOT NULL,
  PRIMARY KEY (tenant_id, producer_id, name_digest)
);
CREATE INDEX producer_requests_noted ON producer_requests (tenant_id, producer_id, noted_at_ms)`,
};
