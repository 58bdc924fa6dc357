import type { ToolContract } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import type { Limit } from '@countersign/policy';
import { rateBudget } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LimitedRig } from '../testing/limited-rig.js';

const { tenant_id } = aMeta(null);
let store: PgliteStore;
let at: LimitedRig;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());
beforeEach(async () => {
  at = await LimitedRig.open(store);
});
afterEach(() => at.rig.close());

const rate = { kind: 'rate', max: 3, window_ms: 60_000 } as const;
const limit = (more: Partial<Limit> = {}): Limit => ({
  ...{ limit_id: 'slow', version: 1, removed: false, scope: 'tenant', subjects: [], tools: [], ...rate, amount: null, per: null },
  ...{ allowed: [], side_effects: null, on_exceeded: 'deny', defer_timeout_ms: null, by: { kind: 'user', id: 'root', roles: [] } },
  ...{ changed_at_ms: 0, ...more },
});
const contract = {
  name: 'note',
  version: '1.0.0',
  category: 'test',
  effect_class: 'stage',
  markings: [],
  scopes: [],
} as unknown as ToolContract;
const budget = (limits: readonly Limit[]) =>
  rateBudget(store, limits, { tenant_id, call: at.rig.call('note'), contract, at_ms: at.rig.now() });

test('the rate budget is what policy lets pass, and a look at it reserves nothing', async () => {
  await at.limit('slow', rate);
  expect([await budget([limit()]), await budget([limit()])]).toEqual([3, 3]);
  for (const left of [2, 1, 0]) {
    expect(await at.ruling(await at.rig.request('note'))).toMatchObject({ effect: 'allow' });
    expect(await budget([limit()])).toBe(left);
  }
  expect(await at.ruling(await at.rig.request('note'))).toMatchObject({ effect: 'deny', rule: 'limit.slow' });
});

test('limits that are no rates, or that cannot count the call, leave it to policy', async () => {
  expect(await budget([])).toBeNull();
  expect(await budget([limit({ kind: 'max_tool_calls', window_ms: null, max: 0 })])).toBeNull();
  expect(await budget([limit({ kind: 'max_recursion' as never, max: 0 })])).toBeNull();
  expect(await budget([limit({ amount: 'inputs.missing' })])).toBeNull();
});
