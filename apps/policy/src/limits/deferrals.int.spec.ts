import { callId, uuidv7 } from '@countersign/contracts';
import { PgliteStore, stableTables, upsertCalls } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LimitedRig } from '../testing/limited-rig.js';
import type { PolicyRig } from '../testing/policy-rig.js';

let store: PgliteStore;
let at: LimitedRig;
let rig: PolicyRig<PgliteStore>;

beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());
beforeEach(async () => {
  at = await LimitedRig.open(store);
  rig = at.rig;
});
afterEach(() => rig.close());

/** Writes the view row of another call, as the projector does. */
async function viewed(call_id: string, status: string, tenant_id = 'acme'): Promise<void> {
  const row = { call_id, tenant_id, case_id: null, run_id: null, tool: 'note', status, requested_at_ms: 1, hlc: 1 };
  await store.atomically([stableTables(['calls']).bind(upsertCalls([{ ...row, state: Buffer.alloc(4), waits_approval: false }]))]);
}

const after = (...depends_on: string[]) => ({ context: { ...rig.call('note').context, depends_on } });

describe('given a limit that lets calls wait', () => {
  test('a call waits for its window and opens the next revision when it is free', async () => {
    await at.limit('slow', { kind: 'rate', max: 1, window_ms: 1200, on_exceeded: 'defer' });
    await at.ruling(await rig.request('note'));
    const call_id = await rig.request('note');
    expect(await at.ruling(call_id)).toMatchObject({
      effect: 'defer',
      rule: 'limit.slow',
      reservations: [],
      defer: { until: 'limit_free', limit_id: 'slow', wake_at_ms: expect.any(Number), on_timeout: 'deny' },
    });
    expect(await at.rulingOf(call_id, 2)).toMatchObject([
      { effect: 'allow', reservations: [{ limit_id: 'slow' }], source: { offset: -1 } },
    ]);
  });

  test('of calls that wait for capacity the first one gets it, and each wait ends', async () => {
    await at.limit('one', { max: 1, on_exceeded: 'defer', defer_timeout_ms: 2500 });
    const first = await rig.request('note');
    await at.ruling(first);
    const second = await rig.request('note');
    expect(await at.ruling(second)).toMatchObject({ effect: 'defer', defer: { wake_at_ms: null } });
    const third = await rig.request('note');
    expect(await at.ruling(third)).toMatchObject({ effect: 'defer' });
    await at.end(first, { status: 'cancelled', effect: 'none' });
    expect(await at.rulingOf(second, 2)).toMatchObject([{ effect: 'allow' }]);
    expect(await at.rulingOf(third, 2)).toMatchObject([{ effect: 'deny', rule: 'limit.one', reason: { code: 'TIMEOUT' } }]);
    expect(await at.used('one')).toEqual([1]);
  });

  test('a wait survives a restart, a snapshot and a clock that is an hour off', async () => {
    await at.limit('slow', { kind: 'rate', max: 1, window_ms: 1500, on_exceeded: 'defer' });
    await at.ruling(await rig.request('note'));
    const [early, late] = [await rig.request('note'), await rig.request('note')];
    await at.ruling(early);
    await at.ruling(late);
    await rig.stop();
    rig.ahead_ms = -3_600_000;
    await rig.start();
    expect(await at.rulingOf(early, 2)).toMatchObject([{ effect: 'allow' }]);
    await rig.stop();
    rig.ahead_ms = 3_600_000;
    await rig.start();
    expect(await at.rulingOf(late, 2)).toMatchObject([{ effect: 'allow' }]);
  });

  test('a call that can never fit is denied at once', async () => {
    await at.limit('big', { kind: 'cumulative', amount: 'inputs.total', max: 5, on_exceeded: 'defer' });
    expect(await at.ruling(await rig.request('note', { inputs_json: '{"total":6}' }))).toMatchObject({ effect: 'deny' });
  });

  test('a waiting call can be cancelled, and is never decided again', async () => {
    await at.limit('slow', { kind: 'rate', max: 1, window_ms: 1000, on_exceeded: 'defer' });
    await at.ruling(await rig.request('note'));
    const call_id = await rig.request('note');
    await at.ruling(call_id);
    const principal = rig.call('note').principal;
    await rig.put('tool_call_cancel_requested', { meta: rig.meta(call_id), principal, reason: null, requested_at_ms: 0 });
    expect(await rig.seen(call_id, 'call_cancelled')).toMatchObject({ final: true, revision: 1 });
    await new Promise((done) => setTimeout(done, 1800));
    expect((await rig.ofCall(call_id)).filter(({ event_type }) => event_type === 'policy_decided')).toHaveLength(1);
  });
});

describe('given a call that depends on another', () => {
  const other = () => callId(1, uuidv7(Date.now()));

  test('it waits while the other runs or is unknown, and runs when the other succeeded', async () => {
    const [running, unheard] = [other(), other()];
    await viewed(running, 'running');
    const call_id = await rig.request('note', after(running, unheard));
    expect(await at.ruling(call_id)).toMatchObject({
      effect: 'defer',
      rule: 'prerequisite.running',
      defer: { until: 'call_ended', call_ids: [running, unheard] },
    });
    await viewed(running, 'succeeded');
    await new Promise((done) => setTimeout(done, 600));
    expect(await rig.ofCall(call_id)).toHaveLength(1);
    await viewed(unheard, 'succeeded');
    expect(await at.rulingOf(call_id, 2)).toMatchObject([{ effect: 'allow' }]);
  });

  test('it is denied when the other did not succeed', async () => {
    const failing = other();
    const call_id = await rig.request('note', after(failing));
    expect(await at.ruling(call_id)).toMatchObject({ effect: 'defer' });
    await viewed(failing, 'failed');
    expect(await at.rulingOf(call_id, 2)).toMatchObject([{ effect: 'deny', rule: 'prerequisite.not_succeeded' }]);
  });

  test("another tenant's call counts as unknown", async () => {
    const foreign = other();
    await viewed(foreign, 'succeeded', 'globex');
    expect(await at.ruling(await rig.request('note', after(foreign)))).toMatchObject({ effect: 'defer' });
  });

  test('it runs at once if the other has succeeded', async () => {
    const done = other();
    await viewed(done, 'succeeded');
    expect(await at.ruling(await rig.request('note', after(done)))).toMatchObject({ effect: 'allow', revision: 1 });
  });

  test('its deadline ends the wait', async () => {
    const call_id = await rig.request('note', { ...after(other()), deadline_ms: Date.now() + 1500 });
    expect(await at.rulingOf(call_id, 2)).toMatchObject([{ effect: 'deny', reason: { code: 'TIMEOUT' } }]);
  });
});
