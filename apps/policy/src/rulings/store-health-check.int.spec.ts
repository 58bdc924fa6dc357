import { InfrastructureFault } from '@countersign/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PolicyRig } from '../testing/policy-rig.js';

let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open();
});
afterEach(() => rig.close());

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

test('while the store is unavailable no decision is made, and waiting calls are decided when it is back', async () => {
  expect(await rig.seen(await rig.request('note'), 'policy_decided')).toMatchObject({ effect: 'allow' });
  rig.store.fault = new InfrastructureFault('the store is unavailable');
  await wait(2100);
  const call_id = await rig.request('note');
  await wait(1000);
  expect(await rig.ofCall(call_id)).toEqual([]);
  rig.store.fault = undefined;
  expect(await rig.seen(call_id, 'policy_decided')).toMatchObject({ effect: 'allow' });
});

test('a busy second sends a few queries at most', async () => {
  const before = rig.store.queryNames.length;
  const calls = await Promise.all(Array.from({ length: 200 }, () => rig.request('note')));
  await Promise.all(calls.map((call_id) => rig.seen(call_id, 'policy_decided')));
  expect(rig.store.queryNames.slice(before).filter((name) => name === 'store_pulse').length).toBeLessThanOrEqual(8);
});
