import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { parseCursor } from '../views/cursor.js';
import { addWebhookAttempt, listWebhookAttempts } from './webhook-attempts.js';

/** The stored attempts to send notifications. */
export function describeWebhookAttempts(store: () => Store): void {
  describe('webhook attempts', () => {
    const attempt = (tenant_id: string, number: number, webhook_id = 'w') => ({
      ...{ tenant_id, webhook_id, message_id: 'm', type: 'approval.requested', attempt: number },
      ...{ at_ms: number, duration_ms: 3, status: null, error: 'timeout', next_attempt_at_ms: 1_800_000_000_000 },
    });
    const numbers = async (tenant_id: string, webhook_id = 'w') =>
      (await listWebhookAttempts(store(), { tenant_id, webhook_id }, { limit: 100 })).items.map((one) => one.attempt);

    test('the newest attempts of each tenant are kept up to a limit, independent of other tenants', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      await addWebhookAttempt(store(), attempt(other, 1), 3);
      for (const number of [1, 2, 3, 4, 5]) await addWebhookAttempt(store(), attempt(one, number), 3);
      expect(await numbers(one)).toEqual([5, 4, 3]);
      expect(await numbers(other)).toEqual([1]);
    });

    test('are listed for one channel in pages, newest first', async () => {
      const tenant_id = randomUUID();
      for (const number of [1, 2, 3]) await addWebhookAttempt(store(), attempt(tenant_id, number));
      await addWebhookAttempt(store(), attempt(tenant_id, 9, 'another'));
      const of = { tenant_id, webhook_id: 'w' };
      const first = await listWebhookAttempts(store(), of, { limit: 2 });
      expect(first.items).toMatchObject([attempt(tenant_id, 3), attempt(tenant_id, 2)]);
      const after = parseCursor(first.next_cursor as string);
      const rest = await listWebhookAttempts(store(), of, after ? { limit: 2, after } : { limit: 2 });
      expect([rest.items.map((row) => row.attempt), rest.next_cursor]).toEqual([[1], null]);
    });
  });
}
