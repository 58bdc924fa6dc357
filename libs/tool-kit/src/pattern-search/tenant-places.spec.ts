import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SearchStopped } from './search-stopped.js';
import { TenantPlaces } from './tenant-places.js';

const LIMITS = { total: 3, of_tenant: 2, waiting_of_tenant: 4 };
const { signal } = new AbortController();

/** Takes a place and records the order of the tenants that got one. */
function takes(places: TenantPlaces, got: string[], tenant_id: string, by = signal): Promise<void> {
  return places.take(tenant_id, by).then(() => void got.push(tenant_id));
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a tenant has at most its share, and another tenant gets a place at once', async () => {
  const [places, got] = [new TenantPlaces(LIMITS), [] as string[]];
  for (let n = 0; n < 5; n++) void takes(places, got, 'loud');
  await settled();
  expect(got).toEqual(['loud', 'loud']);
  await takes(places, got, 'quiet');
  expect(places.waiting).toBe(3);
});

test('tenants take turns, however many places one of them waits for', async () => {
  const [places, got] = [new TenantPlaces({ ...LIMITS, total: 1 }), [] as string[]];
  for (const tenant_id of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void takes(places, got, tenant_id);
  for (let n = 0; n < 7; n++) {
    await settled();
    places.release(got[n] as string);
  }
  expect(got).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('a full queue of its tenant gives busy; another tenant is not affected', async () => {
  const [places, got] = [new TenantPlaces(LIMITS), [] as string[]];
  for (let n = 0; n < 6; n++) void takes(places, got, 'loud');
  expect(() => places.take('loud', signal)).toThrow(expect.objectContaining({ why: 'busy' }));
  await takes(places, got, 'quiet');
  expect(got).toContain('quiet');
});

test('an aborted request stops waiting, and closing ends all', async () => {
  const places = new TenantPlaces({ total: 1, of_tenant: 1, waiting_of_tenant: 9 });
  await places.take('a', signal);
  const abort = new AbortController();
  const aborted = expect(places.take('a', abort.signal)).rejects.toMatchObject({ why: 'aborted' });
  const waiting = expect(places.take('b', signal)).rejects.toMatchObject({ why: 'closed' });
  abort.abort();
  await aborted;
  places.close();
  await waiting;
  expect(places.waiting).toBe(0);
  expect(() => places.take('c', signal)).toThrow(SearchStopped);
});

test('in any sequence the limits hold, no request is lost, and each tenant is served in order', async () => {
  const step = fc.record({ tenant_id: fc.constantFrom('a', 'b', 'c'), what: fc.constantFrom('take', 'release') });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const places = new TenantPlaces({ ...LIMITS, waiting_of_tenant: 60 });
      const got: { tenant_id: string; n: number }[] = [];
      const held = new Map<string, number>();
      const hold = (tenant_id: string, by: number) => held.set(tenant_id, (held.get(tenant_id) ?? 0) + by);
      let taken = 0;
      const release = (tenant_id: string) => {
        hold(tenant_id, -1);
        places.release(tenant_id);
      };
      for (const { tenant_id, what } of steps) {
        const n = taken;
        if (what === 'take') {
          taken++;
          void places.take(tenant_id, signal).then(() => {
            got.push({ tenant_id, n });
            hold(tenant_id, 1);
          });
        } else if ((held.get(tenant_id) ?? 0) > 0) release(tenant_id);
        await settled();
        const counts = [...held.values()];
        expect(Math.max(0, ...counts)).toBeLessThanOrEqual(LIMITS.of_tenant);
        expect(counts.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(LIMITS.total);
      }
      for (let round = 0; round < 60 && got.length < taken; round++) {
        for (const [tenant_id, count] of held) if (count > 0) release(tenant_id);
        await settled();
      }
      expect(got).toHaveLength(taken);
      for (const each of ['a', 'b', 'c']) {
        const order = got.filter(({ tenant_id }) => tenant_id === each).map(({ n }) => n);
        expect(order).toEqual([...order].sort((x, y) => x - y));
      }
    }),
    { numRuns: 40 },
  );
});
