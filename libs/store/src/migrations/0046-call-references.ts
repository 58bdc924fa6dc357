import type { Migration } from './migration.js';

/**
 * Which call has an `external_id`: one row for each reference, so that a tenant gives each reference to one call. Restored from the view
 * of calls: decisions/0039.
 */
export const callReferences: Migration = {
  name: '0046-call-references',
  text: `CREATE TABLE call_references (
  tenant_id text NOT NULL,
  external_id text NOT NULL,
  call_uuid uuid NOT NULL,
  partition int2 NOT NULL,
  PRIMARY KEY (tenant_id, external_id)
)`,
};
