import { callId, uuidv7 } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { isOwedKept, noteOwedKept, type OwedCallback, oweCallbacks, owedCallbacks, settleCallbacks } from './owed-callbacks.js';

/** Owed callbacks, across restarts. */
export function describeOwedCallbacks(store: () => Store): void {
  describe('owed callbacks', () => {
    const call = (at: number): OwedCallback => ({ call_id: callId(at, uuidv7(Date.now())), tenant_id: `t${at}` });
    const owedOf = async (calls: readonly OwedCallback[]) => {
      const names = new Set(calls.map(({ call_id }) => call_id));
      return (await owedCallbacks(store())).filter(({ call_id }) => names.has(call_id));
    };

    test('are stored once for each call and tenant until they are settled', async () => {
      const calls = [call(1), call(2), call(3)] as [OwedCallback, OwedCallback, OwedCallback];
      await oweCallbacks(store(), calls);
      await oweCallbacks(store(), calls.slice(0, 2));
      expect((await owedOf(calls)).sort((a, b) => (a.tenant_id < b.tenant_id ? -1 : 1))).toMatchObject(calls);
      await settleCallbacks(store(), [calls[0].call_id, calls[2].call_id]);
      expect(await owedOf(calls)).toEqual([{ ...calls[1], age_ms: expect.any(Number) }]);
    });

    test('a new database is not complete until it is marked as complete', async () => {
      expect(await isOwedKept(store())).toBe(false);
      await noteOwedKept(store());
      await noteOwedKept(store());
      expect(await isOwedKept(store())).toBe(true);
    });
  });
}
