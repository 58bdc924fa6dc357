import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.js';

const item = (tenant_id: string, n = 0) => ({ tenant_id, n });
const take = (queue: FairQueue<{ tenant_id: string }>, count: number) => Array.from({ length: count }, () => queue.take()?.tenant_id);

describe('the next free slot', () => {
  test('goes to tenants in turn, however many calls one of them has waiting', () => {
    const queue = new FairQueue<{ tenant_id: string }>(100, () => ({ weight: 1, running_max: 100 }));
    for (let n = 0; n < 50; n++) queue.put(item('loud'));
    for (let n = 0; n < 3; n++) queue.put(item('quiet'));
    expect(take(queue, 6).filter((tenant) => tenant === 'quiet')).toHaveLength(3);
  });

  test('goes to a tenant of weight 3 three times as often', () => {
    const queue = new FairQueue<{ tenant_id: string }>(1000, (tenant) => ({ weight: tenant === 'big' ? 3 : 1, running_max: 1000 }));
    for (let n = 0; n < 400; n++) for (const tenant of ['big', 'small']) queue.put(item(tenant));
    const taken = take(queue, 400);
    expect(taken.filter((tenant) => tenant === 'big').length).toBeGreaterThanOrEqual(298);
    expect(taken.filter((tenant) => tenant === 'big').length).toBeLessThanOrEqual(302);
  });

  test('an idle tenant claims none of its past', () => {
    const queue = new FairQueue<{ tenant_id: string }>(1000, () => ({ weight: 1, running_max: 1000 }));
    for (let n = 0; n < 200; n++) queue.put(item('busy'));
    take(queue, 100);
    for (let n = 0; n < 100; n++) queue.put(item('new'));
    expect(take(queue, 40).filter((tenant) => tenant === 'busy').length).toBeGreaterThanOrEqual(19);
  });

  test('a tenant at its cap waits and blocks no other tenant', () => {
    const queue = new FairQueue<{ tenant_id: string }>(10, (tenant) => ({ weight: 1, running_max: tenant === 'capped' ? 1 : 10 }));
    for (let n = 0; n < 5; n++) queue.put(item('capped'));
    for (let n = 0; n < 5; n++) queue.put(item('other'));
    expect(take(queue, 10).filter((tenant) => tenant === 'capped')).toHaveLength(1);
    queue.release('capped');
    expect(queue.take()?.tenant_id).toBe('capped');
  });

  test('no order of puts, takes, releases and drops loses, repeats or reorders an item, or exceeds a cap', () => {
    const steps = fc.array(
      fc.record({ act: fc.constantFrom('put', 'put', 'take', 'release', 'drop'), tenant: fc.constantFrom('a', 'b', 'c') }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (acts) => {
        const queue = new FairQueue<{ tenant_id: string; n: number }>(4, () => ({ weight: 1, running_max: 2 }));
        const running: string[] = [];
        const last: Record<string, number> = {};
        let put = 0;
        let out = 0;
        for (const { act, tenant } of acts) {
          if (act === 'put') queue.put(item(tenant, put++));
          else if (act === 'take') {
            const taken = queue.take();
            if (!taken) continue;
            out++;
            expect(taken.n).toBeGreaterThan(last[taken.tenant_id] ?? -1);
            last[taken.tenant_id] = taken.n;
            running.push(taken.tenant_id);
          } else if (act === 'release') {
            const tenantOut = running.shift();
            if (tenantOut) queue.release(tenantOut);
          } else out += queue.drop(({ tenant_id, n }) => tenant_id === tenant && n % 2 === 0).length;
          expect(queue.running).toBe(running.length);
          expect(running.length).toBeLessThanOrEqual(4);
          for (const each of ['a', 'b', 'c']) expect(running.filter((one) => one === each).length).toBeLessThanOrEqual(2);
        }
        expect(queue.waiting).toBe(put - out);
      }),
      { numRuns: 300 },
    );
  });
});
