import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { keepKeyUses, readKeyUses } from './key-uses.js';

/** The last uses of API keys. */
export function describeKeyUses(store: () => Store): void {
  describe('key uses', () => {
    test('the latest use of each key is kept, whichever writer is last', async () => {
      const [tenant_id, one, other] = [randomUUID(), randomUUID(), randomUUID()];
      const use = (key_id: string, last_used_at_ms: number) => ({ tenant_id, key_id, last_used_at_ms });
      await keepKeyUses(store(), [use(one, 5), use(other, 7)]);
      await Promise.all([keepKeyUses(store(), [use(other, 8), use(one, 4)]), keepKeyUses(store(), [use(one, 3)])]);
      expect(await readKeyUses(store(), tenant_id, [one, other, 'unused'])).toEqual(
        new Map([
          [one, 5],
          [other, 8],
        ]),
      );
    });

    test('a key belongs to its tenant: another tenant can neither read nor change its uses', async () => {
      const [tenant_id, rival, key_id] = [randomUUID(), randomUUID(), randomUUID()];
      await keepKeyUses(store(), [{ tenant_id, key_id, last_used_at_ms: 5 }]);
      await keepKeyUses(store(), [{ tenant_id: rival, key_id, last_used_at_ms: 9 }]);
      expect([await readKeyUses(store(), tenant_id, [key_id]), await readKeyUses(store(), randomUUID(), [key_id])]).toEqual([
        new Map([[key_id, 5]]),
        new Map(),
      ]);
    });
  });
}
