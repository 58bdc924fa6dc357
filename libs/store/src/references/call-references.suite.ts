import { randomUUID } from 'node:crypto';
import { callId } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { stableTables } from '../projections/bound-tables.js';
import type { Store } from '../store.js';
import { upsertCalls } from '../views/calls.js';
import { claimReference } from './call-references.js';

/** References of calls: each belongs to one call. */
export function describeCallReferences(store: () => Store): void {
  const claim = (tenant_id: string, external_id: string, call_id: string) => claimReference(store(), { tenant_id, external_id, call_id });

  describe('call references', () => {
    test('the first call keeps a reference, even if many claim it concurrently', async () => {
      const [tenant_id, calls] = [randomUUID(), Array.from({ length: 8 }, (_, n) => callId(n, randomUUID()))];
      const winners = new Set(await Promise.all(calls.map((call_id) => claim(tenant_id, 'PO-1', call_id))));
      expect(winners.size).toBe(1);
      for (const call_id of calls) expect(await claim(tenant_id, 'PO-1', call_id)).toBe([...winners][0]);
    });

    test('a reference belongs to its tenant', async () => {
      const [one, other] = [callId(0, randomUUID()), callId(1, randomUUID())];
      expect(await claim(randomUUID(), 'PO-1', one)).toBe(one);
      expect(await claim(randomUUID(), 'PO-1', other)).toBe(other);
    });

    test('a call in the view keeps its reference if the row of the reference is lost', async () => {
      const [tenant_id, uuid, at] = [randomUUID(), randomUUID(), Date.now()];
      const call_id = callId(3, uuid);
      const row = { call_id, tenant_id, case_id: null, run_id: null, tool: 't', status: 'succeeded', requested_at_ms: at, hlc: at };
      const write = upsertCalls([{ ...row, state: Buffer.from('{}'), waits_approval: false, external_id: 'PO-7' }]);
      await stableTables(['calls']).of(store()).query(write);
      expect(await claim(tenant_id, 'PO-7', callId(4, randomUUID()))).toBe(call_id);
      expect(await claim(tenant_id, 'PO-7', call_id)).toBe(call_id);
    });
  });
}
