import type { Sql } from '../store.js';
import { type Cursor, type Page, pageOf } from '../views/cursor.js';

/** Stored attempts of each tenant; older ones are deleted. */
export const WEBHOOK_ATTEMPTS_MAX = 1_000;

/** One attempt to send a notification to a channel. */
export interface WebhookAttempt {
  tenant_id: string;
  webhook_id: string;
  message_id: string;
  /** `approval.requested`, … */
  type: string;
  /** From 1. */
  attempt: number;
  at_ms: number;
  duration_ms: number;
  /** The status that the receiver returned (HTTP or SMTP); null if it did not respond. */
  status: number | null;
  /** Why the delivery failed; null if it succeeded. */
  error: string | null;
  /** null: no further attempt. */
  next_attempt_at_ms: number | null;
}

export interface WebhookAttemptRow extends WebhookAttempt {
  attempt_id: number;
}

const COLUMNS = 'tenant_id, webhook_id, message_id, type, attempt, at_ms, duration_ms, status, error, next_attempt_at_ms';
const ADD = `INSERT INTO webhook_attempts (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const TRIM = `DELETE FROM webhook_attempts WHERE tenant_id = $1 AND attempt_id <=
  (SELECT attempt_id FROM webhook_attempts WHERE tenant_id = $1 ORDER BY attempt_id DESC OFFSET $2 LIMIT 1)`;
const LIST = `SELECT attempt_id, ${COLUMNS} FROM webhook_attempts
WHERE tenant_id = $1 AND webhook_id = $2 AND attempt_id < $3 ORDER BY attempt_id DESC LIMIT $4`;

/** Stores an attempt, and deletes the tenant's attempts beyond the newest `kept_max`. */
export async function addWebhookAttempt(sql: Sql, one: WebhookAttempt, kept_max = WEBHOOK_ATTEMPTS_MAX): Promise<void> {
  const { tenant_id, webhook_id, message_id, type, attempt, at_ms, duration_ms, status, error, next_attempt_at_ms } = one;
  const params = [tenant_id, webhook_id, message_id, type, attempt, at_ms, duration_ms, status, error, next_attempt_at_ms];
  await sql.query({ name: 'webhook_attempt_add', text: ADD, params });
  await sql.query({ name: 'webhook_attempt_trim', text: TRIM, params: [tenant_id, kept_max] });
}

/** The attempts of a channel, newest first. */
export async function listWebhookAttempts(
  sql: Sql,
  { tenant_id, webhook_id }: { tenant_id: string; webhook_id: string },
  { limit, after }: { limit: number; after?: Cursor },
): Promise<Page<WebhookAttemptRow>> {
  const before = after?.at ?? Number.MAX_SAFE_INTEGER;
  const rows = await sql.query<WebhookAttemptRow & Record<string, unknown>>({
    name: 'webhook_attempt_list',
    text: LIST,
    params: [tenant_id, webhook_id, before, limit + 1],
  });
  return pageOf<WebhookAttemptRow>(rows, limit, ({ attempt_id }) => ({ at: attempt_id, id: 'attempt' }));
}
