import type { Migration } from './migration.js';

/** The results of attempts to send notifications, the newest of each tenant, without the content that was sent. */
export const webhookAttempts: Migration = {
  name: '0044-webhook-attempts',
  text: `CREATE TABLE webhook_attempts (
  attempt_id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  message_id text NOT NULL,
  type text NOT NULL,
  attempt int4 NOT NULL,
  at_ms int8 NOT NULL,
  duration_ms int8 NOT NULL,
  status int4,
  error text,
  next_attempt_at_ms int8
);
CREATE INDEX webhook_attempts_by_tenant ON webhook_attempts (tenant_id, attempt_id);
CREATE INDEX webhook_attempts_by_webhook ON webhook_attempts (tenant_id, webhook_id, attempt_id)`,
};
