import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { forgetProducerRequests, noteProducerCancel, noteProducerRequests, settleProducerRequests } from './producer-requests.js';

/** What producers called their requests, and their cancels. */
export function describeProducerRequests(store: () => Store): void {
  const scope = () => ({ tenant_id: randomUUID(), producer_id: 'acme' });
  const at = (name_digest: string, at_ms = 10) => ({ name_digest, at_ms });

  describe('requests of producers', () => {
    test('a cancel finds the call of its request, and waits while the request is being admitted', async () => {
      const own = scope();
      expect(await noteProducerRequests(store(), own, [at('r')])).toEqual([{ name_digest: 'r', call_id: null, cancelled_at_ms: null }]);
      expect(await noteProducerCancel(store(), own, at('r', 11))).toEqual({ kind: 'pending' });
      await settleProducerRequests(store(), own, new Map([['r', '0-call']]));
      expect(await noteProducerCancel(store(), own, at('r', 12))).toEqual({ kind: 'call', call_id: '0-call' });
      expect(await noteProducerRequests(store(), own, [at('r')])).toEqual([{ name_digest: 'r', call_id: '0-call', cancelled_at_ms: null }]);
    });

    test('a cancel that comes first is kept for its request, also if the request was not admitted yet', async () => {
      const own = scope();
      expect(await noteProducerCancel(store(), own, at('early', 7))).toEqual({ kind: 'kept' });
      expect(await noteProducerRequests(store(), own, [at('early')])).toMatchObject([{ cancelled_at_ms: 7 }]);
      await noteProducerRequests(store(), own, [at('full')]);
      await settleProducerRequests(store(), own, new Map([['full', null]]));
      expect(await noteProducerCancel(store(), own, at('full', 12))).toEqual({ kind: 'kept' });
      expect(await noteProducerRequests(store(), own, [at('full')])).toMatchObject([{ cancelled_at_ms: 12 }]);
    });

    test('of a request and its cancel at the same moment one sees the other', async () => {
      const own = scope();
      const names = Array.from({ length: 20 }, (_, n) => `n-${n}`);
      const cancels = names.map((name) => noteProducerCancel(store(), own, at(name)));
      const [noted] = await Promise.all([
        noteProducerRequests(
          store(),
          own,
          names.map((name) => at(name)),
        ),
        ...cancels,
      ]);
      for (const [n, cancel] of (await Promise.all(cancels)).entries()) {
        const seen = noted.find(({ name_digest }) => name_digest === names[n])?.cancelled_at_ms ?? null;
        expect([cancel.kind, seen === null]).toEqual(cancel.kind === 'pending' ? ['pending', true] : ['kept', false]);
      }
    });

    test('names belong to their producer and tenant', async () => {
      const own = scope();
      await noteProducerCancel(store(), own, at('r'));
      for (const other of [scope(), { ...own, producer_id: 'other' }])
        expect(await noteProducerRequests(store(), other, [at('r')])).toMatchObject([{ call_id: null, cancelled_at_ms: null }]);
    });

    test('old names and all but the newest are forgotten', async () => {
      const own = scope();
      for (let n = 1; n <= 6; n++) await noteProducerCancel(store(), own, at(`c-${n}`, n));
      await forgetProducerRequests(store(), own, { before_ms: 2, kept_max: 2 });
      const known = await noteProducerRequests(
        store(),
        own,
        [1, 2, 3, 4, 5, 6].map((n) => at(`c-${n}`, 50)),
      );
      expect(
        known
          .filter(({ cancelled_at_ms }) => cancelled_at_ms !== null)
          .map(({ cancelled_at_ms }) => cancelled_at_ms)
          .sort(),
      ).toEqual([4, 5, 6]);
    });
  });
}
