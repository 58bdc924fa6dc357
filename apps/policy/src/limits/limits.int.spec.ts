import { type ToolCall, uuidv7 } from '@countersign/contracts';
import { counterKey } from '@countersign/policy';
import { changeCounters, PgliteStore } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FlakyLog } from '../testing/flaky-log.js';
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

const run = (run_id: string): Partial<ToolCall> => ({ run_id });

describe('given a limit of 10 calls', () => {
  beforeEach(() => at.limit('ten', {}));

  test('of 100 concurrent calls exactly 10 are allowed, each with its reservation', async () => {
    const rulings = await Promise.all((await at.requests(100)).map((call_id) => at.ruling(call_id)));
    const allowed = rulings.filter(({ effect }) => effect === 'allow');
    expect(allowed).toHaveLength(10);
    for (const { reservations } of allowed)
      expect(reservations).toMatchObject([{ limit_id: 'ten', subject: 'acme', amount_micro: 1_000_000, settle: 'attempt' }]);
    for (const denied of rulings.filter(({ effect }) => effect === 'deny')) {
      expect(denied).toMatchObject({ rule: 'limit.ten', reservations: [], reason: { code: 'POLICY_DENIED' } });
      expect(JSON.parse(denied.reason?.details_json ?? '')).toMatchObject({ used: 10, max: 10, asked: 1 });
    }
    expect(await at.used('ten')).toEqual([10]);
  });

  test('a call that never ran releases its reservation, one that ran keeps it, and a doubt keeps it until it is resolved', async () => {
    const ids = await at.requests(4);
    await Promise.all(ids.map((call_id) => at.ruling(call_id)));
    expect(await at.used('ten')).toEqual([4]);
    await at.end(ids[0] as string);
    await at.end(ids[1] as string, { status: 'expired', effect: 'none' });
    await at.end(ids[2] as string, { status: 'cancelled', effect: 'none' });
    await at.end(ids[3] as string, { status: 'in_doubt', effect: 'unknown' });
    await at.untilUsed('ten', 2);
    await at.resolve(ids[3] as string, { status: 'cancelled', effect: 'none' });
    await at.untilUsed('ten', 1);
  });

  test('a denied or cancelled approval releases what was reserved with the request', async () => {
    const call_id = await rig.request('pay');
    expect(await at.ruling(call_id)).toMatchObject({ effect: 'require_approval', reservations: [{ limit_id: 'ten' }] });
    expect(await at.used('ten')).toEqual([1]);
    await rig.vote(`${call_id}.1`, 'ann', 'deny');
    await rig.seen(call_id, 'approval_denied');
    await at.untilUsed('ten', 0);
  });

  test('repeats of an effect in flight hold nothing, in one batch and in later ones', async () => {
    const idempotency_key = uuidv7(rig.now());
    const first = await Promise.all(Array.from({ length: 6 }, () => rig.request('note', { idempotency_key })));
    await Promise.all(first.map((call_id) => at.ruling(call_id)));
    const later = await rig.request('note', { idempotency_key });
    expect(await at.ruling(later)).toMatchObject({ effect: 'allow', reservations: [], joined_call_id: expect.any(String) });
    expect(await at.used('ten')).toEqual([1]);
    const other = await rig.request('note', { idempotency_key, discriminating_digest: '00000000000000bb' });
    expect(await at.ruling(other)).toMatchObject({ effect: 'deny', rule: 'key.other_inputs' });
  });

  test('a restart loses nothing, and a redelivered request gets the same decision', async () => {
    const ids = await at.requests(10);
    await Promise.all(ids.map((call_id) => at.ruling(call_id)));
    await rig.stop();
    await rig.start();
    expect(await at.ruling(await rig.request('note'))).toMatchObject({ effect: 'deny' });
    await at.end(ids[0] as string, { status: 'expired', effect: 'none' });
    await at.untilUsed('ten', 9);
    expect(await at.ruling(await rig.request('note'))).toMatchObject({ effect: 'allow' });
  });

  test('an empty database is restored from the decisions and ends on the log', async () => {
    const ids = await at.requests(10);
    await Promise.all(ids.map((call_id) => at.ruling(call_id)));
    await at.end(ids[0] as string);
    await at.end(ids[1] as string, { status: 'expired', effect: 'none' });
    await at.untilUsed('ten', 9);
    await rig.stop();
    await LimitedRig.empty(store);
    await rig.start();
    await at.untilUsed('ten', 9);
    const [one, two] = [await rig.request('note'), await rig.request('note')];
    expect([(await at.ruling(one)).effect, (await at.ruling(two)).effect].sort()).toEqual(['allow', 'deny']);
  });
});

test('a request whose decision was lost gets the same decision again, and reserves nothing more', async () => {
  await rig.close();
  let flaky: FlakyLog | undefined;
  at = await LimitedRig.open(store, (log) => {
    flaky ??= new FlakyLog(log);
    return flaky;
  });
  rig = at.rig;
  await at.limit('one', { max: 1 });
  (flaky as FlakyLog).drops = ({ topic }) => topic === 'policy-decided';
  const call_id = await rig.request('note');
  await at.untilUsed('one', 1);
  await rig.stop();
  (flaky as FlakyLog).drops = () => false;
  await at.limit('one', { max: 0 });
  await rig.start();
  expect(await at.ruling(call_id)).toMatchObject({ effect: 'allow', reservations: [{ limit_id: 'one' }] });
  expect(await at.used('one')).toEqual([1]);
  expect(await at.ruling(await rig.request('note'))).toMatchObject({ effect: 'deny' });
});

test('a reservation for a request that is not on the log is released', async () => {
  await at.limit('one', { max: 1 });
  const counter = counterKey('acme', 'one', 'acme', '');
  const held = {
    counter,
    limit_id: 'one',
    subject: 'acme',
    per: '',
    amount_micro: 1_000_000,
    at_ms: 0,
    window_ms: null,
    settle: 'attempt',
  };
  const row = { call_uuid: uuidv7(1), lane: 'shared', partition: 0, revision: 1, state: 1 as const, at_s: 1 };
  const counters = [{ key: counter, tenant_id: 'acme', limit_id: 'one', subject: 'acme', per: '' }];
  await changeCounters(store, { counters, call_uuids: [] }, () => ({
    counters: [{ key: counter, slots: '[[0,1000000]]' }],
    reservations: [{ ...row, verdict: JSON.stringify({ kind: 'reserved', reservations: [held] }) }],
  }));
  expect(await at.ruling(await rig.request('note'))).toMatchObject({ effect: 'deny' });
  await rig.stop();
  await rig.start();
  await at.untilUsed('one', 0);
  expect(await at.ruling(await rig.request('note'))).toMatchObject({ effect: 'allow' });
});

test('a run may make 25 calls and 10 loops, unless its tenant sets other limits', async () => {
  const rulings = await Promise.all((await at.requests(30, run('r1'))).map((call_id) => at.ruling(call_id)));
  expect(rulings.filter(({ effect }) => effect === 'allow')).toHaveLength(25);
  expect(rulings.find(({ effect }) => effect === 'deny')?.rule).toBe('limit.default.max_tool_calls');
  const context = { ...rig.call('note').context, iteration: 11 };
  expect(await at.ruling(await rig.request('note', { ...run('r2'), context }))).toMatchObject({ rule: 'limit.default.max_iterations' });
  await at.limit('more', { scope: 'run', max: 26 });
  expect(await at.ruling(await rig.request('note', run('r1')))).toMatchObject({ effect: 'allow' });
});

test('an amount is summed for each value of `per`, and an uncountable value is denied', async () => {
  await at.limit('daily', { kind: 'cumulative', amount: 'inputs.total', per: 'inputs.supplier', max: 20_000, window_ms: 86_400_000 });
  const order = async (inputs: unknown) => (await at.ruling(await rig.request('note', { inputs_json: JSON.stringify(inputs) }))).effect;
  expect(await order({ total: 12_000.5, supplier: 'a' })).toBe('allow');
  expect(await order({ total: 8_000, supplier: 'a' })).toBe('deny');
  expect(await order({ total: 7_999.5, supplier: 'a' })).toBe('allow');
  expect(await order({ total: 20_000, supplier: 'b' })).toBe('allow');
  for (const inputs of [{ supplier: 'c' }, { total: -1, supplier: 'c' }, { total: 'x', supplier: 'c' }, { total: 1, supplier: null }])
    expect(await order(inputs)).toBe('deny');
});

test('edited inputs are counted instead of the requested ones, and refused if they exceed the limit', async () => {
  await at.limit('sum', { kind: 'cumulative', amount: 'inputs.total', max: 10 });
  const call_id = await rig.request('pay', { inputs_json: '{"total":4}' });
  await at.ruling(call_id);
  const edit = (approval_id: string, total: number) => {
    const inputs_json = JSON.stringify({ total });
    const edited = {
      inputs_json,
      inputs_digest: `d${total}`,
      idempotency_key: uuidv7(rig.now()),
      discriminating_digest: '00000000000000bb',
      mapped: null,
    };
    return rig.vote(approval_id, 'ann', 'edit', ['approver'], { edited, inputs_json, inputs_digest: `d${total}` });
  };
  await edit(`${call_id}.1`, 11);
  expect(await rig.seen(call_id, 'approval_vote_refused')).toMatchObject({ reason: expect.stringContaining('limit sum') });
  expect(await at.used('sum')).toEqual([4]);
  await edit(`${call_id}.1`, 9);
  expect(await at.rulingOf(call_id, 2)).toMatchObject([{ effect: 'require_approval', reservations: [{ amount_micro: 9_000_000 }] }]);
  expect(await at.used('sum')).toEqual([9]);
  await at.end(call_id, { status: 'expired', effect: 'none' });
  await at.untilUsed('sum', 0);
});

test('a call without limits sends no query', async () => {
  await at.limit('pays', { tools: ['pay'] });
  const queried: string[] = [];
  const transactions = vi.spyOn(store, 'transaction').mockImplementation(() => Promise.reject(new Error('nothing to write')));
  const queries = vi.spyOn(store, 'query');
  await Promise.all((await at.requests(100)).map((call_id) => at.ruling(call_id)));
  for (const [{ name, text }] of queries.mock.calls) queried.push(name ?? text);
  expect(transactions).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  expect(queried.filter((name) => name !== 'policy_snapshot_save' && name !== 'store_pulse')).toEqual([]);
});
