import { callId, type LimitSet, type Outcome, type ToolCall, uuidv7 } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { PgliteStore, readCounters } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PolicyRig } from '../testing/policy-rig.js';

let store: PgliteStore;
let rig: PolicyRig<PgliteStore>;
let version = 0;

const TABLES = ['limit_counters', 'limit_reservations', 'limit_partitions', 'policy_snapshots'];
const emptied = () => store.query({ text: `TRUNCATE ${TABLES.join(', ')}`, params: [] });

beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
}, 60_000);
afterAll(() => store.close());
beforeEach(async () => {
  await emptied();
  rig = await PolicyRig.on(store);
});
afterEach(() => rig.close());

async function limit(limit_id: string, more: Partial<LimitSet>): Promise<void> {
  await rig.put('limit_set', {
    meta: aMeta(null),
    limit_id,
    version: ++version,
    removed: false,
    kind: 'max_tool_calls',
    scope: 'tenant',
    subjects: [],
    tools: [],
    max: 10,
    window_ms: null,
    amount: null,
    per: null,
    allowed: [],
    side_effects: null,
    on_exceeded: 'deny',
    defer_timeout_ms: null,
    by: { kind: 'user', id: 'root', roles: ['admin'] },
    changed_at_ms: 0,
    ...more,
  });
  await new Promise((done) => setTimeout(done, 50));
}

async function used(limit_id: string): Promise<number[]> {
  const rows = await readCounters(store, { tenant_id: 'acme', limit_id, after: '', limit: 100 });
  return rows.map(({ slots }) => (JSON.parse(slots) as [number, number][]).reduce((sum, [, amount]) => sum + amount, 0) / 1_000_000);
}

const outcome: Outcome = {
  status: 'succeeded',
  output_json: '{}',
  error: null,
  effect: 'happened',
  started_at_ms: 1,
  ended_at_ms: 2,
  duration_ms: 1,
  retry_count: 0,
  truncated: false,
  attachments: [],
  warnings: [],
  extras: null,
};

async function end(call_id: string, more: Partial<Outcome> = {}, event_type: 'tool_executed' | 'tool_call_in_doubt' = 'tool_executed') {
  const partition = Number(call_id.split('-')[0]);
  const base = { meta: rig.meta(call_id), idempotency_key: 'k', tool: 'note', version: '1.0.0', epoch: 1, also: null };
  const source = { topic: 'policy-decided', offset: 0 };
  const ended = { ...outcome, ...more };
  if (event_type === 'tool_call_in_doubt') await rig.put(event_type, { ...base, outcome: ended, source }, partition);
  else await rig.put(event_type, { ...base, decision_id: 'd', revision: 1, outcome: ended, source }, partition);
}

const ruling = (call_id: string) => rig.seen(call_id, 'policy_decided');
const run = (run_id: string): Partial<ToolCall> => ({ run_id });
/** Requests at once, over all partitions. */
const requests = (count: number, more: Partial<ToolCall> = {}) =>
  Promise.all(Array.from({ length: count }, (_, i) => rig.request('note', more, callId(i % 2, uuidv7(rig.now())))));

describe('given a limit of 10 calls', () => {
  beforeEach(() => limit('ten', {}));

  test('of 100 calls at once exactly 10 are allowed, and each of those names what it holds', async () => {
    const rulings = await Promise.all((await requests(100)).map(ruling));
    const allowed = rulings.filter(({ effect }) => effect === 'allow');
    expect(allowed).toHaveLength(10);
    for (const { reservations } of allowed)
      expect(reservations).toMatchObject([{ limit_id: 'ten', subject: 'acme', amount_micro: 1_000_000, settle: 'attempt' }]);
    for (const denied of rulings.filter(({ effect }) => effect === 'deny')) {
      expect(denied).toMatchObject({ rule: 'limit.ten', reservations: [], reason: { code: 'POLICY_DENIED' } });
      expect(JSON.parse(denied.reason?.details_json ?? '')).toMatchObject({ used: 10, max: 10, asked: 1 });
    }
    expect(await used('ten')).toEqual([10]);
  });

  test('what never ran is given back, what ran stays, and a doubt stays until it is resolved', async () => {
    const ids = await requests(4);
    await Promise.all(ids.map(ruling));
    expect(await used('ten')).toEqual([4]);
    await end(ids[0] as string);
    await end(ids[1] as string, { status: 'expired', effect: 'none' });
    await end(ids[2] as string, { status: 'cancelled', effect: 'none' });
    await end(ids[3] as string, { status: 'in_doubt', effect: 'unknown' }, 'tool_call_in_doubt');
    await rig.until(async () => (await used('ten'))[0] === 2);
    const resolved = { idempotency_key: 'k', by: 'person', principal: null, reason: 'it did not', source: null, also: null } as const;
    const denied = { ...outcome, status: 'cancelled', effect: 'none' } as const;
    await rig.put('tool_call_resolved', { meta: rig.meta(ids[3] as string), ...resolved, outcome: denied }, 1);
    await rig.until(async () => (await used('ten'))[0] === 1);
  });

  test('a denied or cancelled approval gives back what was reserved when people were asked', async () => {
    const call_id = await rig.request('pay');
    expect(await ruling(call_id)).toMatchObject({ effect: 'require_approval', reservations: [{ limit_id: 'ten' }] });
    expect(await used('ten')).toEqual([1]);
    await rig.vote(`${call_id}.1`, 'ann', 'deny');
    await rig.seen(call_id, 'approval_denied');
    await rig.until(async () => (await used('ten'))[0] === 0);
  });

  test('repeats of an effect in flight hold nothing, in one batch and in later ones', async () => {
    const idempotency_key = uuidv7(rig.now());
    const first = await Promise.all(Array.from({ length: 6 }, () => rig.request('note', { idempotency_key })));
    await Promise.all(first.map(ruling));
    const later = await rig.request('note', { idempotency_key });
    expect(await ruling(later)).toMatchObject({ effect: 'allow', reservations: [], joined_call_id: expect.any(String) });
    expect(await used('ten')).toEqual([1]);
    const other = await rig.request('note', { idempotency_key, discriminating_digest: '00000000000000bb' });
    expect(await ruling(other)).toMatchObject({ effect: 'deny', rule: 'key.other_inputs' });
  });

  test('a restart forgets nothing, and a redelivered request is answered as before', async () => {
    const ids = await requests(10);
    await Promise.all(ids.map(ruling));
    await rig.stop();
    await rig.start();
    expect(await ruling(await rig.request('note'))).toMatchObject({ effect: 'deny' });
    await end(ids[0] as string, { status: 'expired', effect: 'none' });
    await rig.until(async () => (await used('ten'))[0] === 9);
    expect(await ruling(await rig.request('note'))).toMatchObject({ effect: 'allow' });
  });

  test('an empty database is counted again from the rulings and ends on the log', async () => {
    const ids = await requests(10);
    await Promise.all(ids.map(ruling));
    await end(ids[0] as string);
    await end(ids[1] as string, { status: 'expired', effect: 'none' });
    await rig.until(async () => (await used('ten'))[0] === 9);
    await rig.stop();
    await emptied();
    await rig.start();
    await rig.until(async () => (await used('ten'))[0] === 9);
    const [one, two] = [await rig.request('note'), await rig.request('note')];
    expect([(await ruling(one)).effect, (await ruling(two)).effect].sort()).toEqual(['allow', 'deny']);
  });
});

test('a run may make 25 calls and go round 10 times, unless its tenant says otherwise', async () => {
  const rulings = await Promise.all((await requests(30, run('r1'))).map(ruling));
  expect(rulings.filter(({ effect }) => effect === 'allow')).toHaveLength(25);
  expect(rulings.find(({ effect }) => effect === 'deny')?.rule).toBe('limit.default.max_tool_calls');
  const context = { ...rig.call('note').context, iteration: 11 };
  expect(await ruling(await rig.request('note', { ...run('r2'), context }))).toMatchObject({ rule: 'limit.default.max_iterations' });
  await limit('more', { scope: 'run', max: 26 });
  expect(await ruling(await rig.request('note', run('r1')))).toMatchObject({ effect: 'allow' });
});

test('an amount is added up for each value of `per`, and what cannot be counted is denied', async () => {
  await limit('daily', { kind: 'cumulative', amount: 'inputs.total', per: 'inputs.supplier', max: 20_000, window_ms: 86_400_000 });
  const order = async (inputs: unknown) => (await ruling(await rig.request('note', { inputs_json: JSON.stringify(inputs) }))).effect;
  expect(await order({ total: 12_000.5, supplier: 'a' })).toBe('allow');
  expect(await order({ total: 8_000, supplier: 'a' })).toBe('deny');
  expect(await order({ total: 7_999.5, supplier: 'a' })).toBe('allow');
  expect(await order({ total: 20_000, supplier: 'b' })).toBe('allow');
  for (const inputs of [{ supplier: 'c' }, { total: -1, supplier: 'c' }, { total: 'x', supplier: 'c' }, { total: 1, supplier: null }])
    expect(await order(inputs)).toBe('deny');
});

test('a call that no limit counts asks nothing of the database', async () => {
  await limit('pays', { tools: ['pay'] });
  const asked: string[] = [];
  const transactions = jest.spyOn(store, 'transaction').mockImplementation(() => Promise.reject(new Error('nothing to write')));
  const queries = jest.spyOn(store, 'query');
  await Promise.all((await requests(100)).map(ruling));
  for (const [{ name, text }] of queries.mock.calls) asked.push(name ?? text);
  expect(transactions).not.toHaveBeenCalled();
  jest.restoreAllMocks();
  expect(asked.filter((name) => name !== 'policy_snapshot_save' && name !== 'store_pulse')).toEqual([]);
});
