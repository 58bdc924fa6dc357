import { callId, uuidv7 } from '@countersign/contracts';
import { HeldEventLog } from '@countersign/event-log/testing/held-event-log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FlakyLog } from './testing/flaky-log.js';
import { PolicyRig, type Seen } from './testing/policy-rig.js';

let rig: PolicyRig;
let flaky: FlakyLog;

beforeEach(async () => {
  rig = await PolicyRig.open((log) => {
    flaky = new FlakyLog(log);
    return flaky;
  });
});
afterEach(() => rig.close());

const rulings = async (): Promise<Map<string, Seen[]>> => {
  const byCall = new Map<string, Seen[]>();
  for (const seen of [...(await rig.published('policy-decided', 0)), ...(await rig.published('policy-decided', 1))]) {
    if (seen.event_type !== 'policy_decided') continue;
    const call_id = seen.event.meta.call_id as string;
    byCall.set(call_id, [...(byCall.get(call_id) ?? []), seen]);
  }
  return byCall;
};

const requestMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => rig.request(i % 4 ? 'note' : 'pay', {}, callId(i % 2, uuidv7(rig.now())))));

test('after failed appends, written or not, every call has one decision, also after a restart from the log alone', async () => {
  for (let round = 0; round < 3; round++) {
    flaky.fates.push('not_taken', 'taken', 'taken', 'not_taken');
    const calls = await requestMany(60);
    await rig.until(async () => {
      const seen = await rulings();
      return calls.every((call_id) => seen.has(call_id));
    });
  }
  await rig.stop();
  rig.store.snapshots.clear();
  await rig.start();
  const last = await rig.request('note');
  await rig.seen(last, 'policy_decided');
  const seen = await rulings();
  expect(seen.size).toBe(181);
  for (const of of seen.values()) expect(new Set(of.map(({ event }) => event.meta.event_id)).size).toBe(1);
});

test('a snapshot of any age gives the same decisions as none: no repeat and no loss', async () => {
  const ages: Map<string, Record<string, unknown>>[] = [new Map()];
  const pending: string[] = [];
  for (let round = 0; round < 5; round++) {
    const calls = await requestMany(40);
    pending.push(calls[0] as string, calls[4] as string);
    await rig.seen(calls[4] as string, 'approval_requested');
    if (round > 0) await rig.vote(`${pending[2 * round - 2]}.1`, 'ann', round % 2 ? 'approve' : 'deny');
    await new Promise((done) => setTimeout(done, 300));
    ages.push(new Map(rig.store.snapshots));
  }
  const before = await rulings();
  for (const age of ages) {
    await rig.stop();
    rig.store.snapshots.clear();
    for (const [place, row] of age) rig.store.snapshots.set(place, row);
    await rig.start();
  }
  expect(await rulings()).toEqual(before);
  await rig.vote(`${pending[9]}.1`, 'ann', 'approve');
  await rig.seen(pending[9] as string, 'approval_granted');
  await rig.vote(`${pending[0]}.1`, 'bob', 'deny');
  await rig.until(async () => (await rig.ofCall(pending[0] as string)).some((seen) => seen.event_type === 'approval_vote_refused'));
  const ends = (await rig.published('approval-granted')).filter((seen) => /granted|denied/.test(seen.event_type));
  expect(new Set(ends.map((seen) => seen.event.meta.call_id)).size).toBe(ends.length);
});

test('a joined call whose grant a crash kept off the log is granted at the next start', async () => {
  const first = await rig.request('pay');
  const { call } = await rig.seen(first, 'policy_decided');
  await rig.vote(`${first}.1`, 'ann', 'approve');
  await rig.seen(first, 'approval_granted');
  flaky.drops = ({ topic }) => topic === 'approval-granted';
  const second = await rig.request('pay', { idempotency_key: call.idempotency_key });
  await rig.seen(second, 'policy_decided');
  rig.store.snapshots.clear();
  await rig.stop();
  rig.store.snapshots.clear();
  await rig.start();
  expect(await rig.seen(second, 'approval_granted')).toMatchObject({ joined_call_id: first, approval_id: `${first}.1` });
});

test('policy is ready once it has handled the records from before its start, and no earlier', async () => {
  await rig.stop();
  const waiting = await Promise.all(Array.from({ length: 20 }, () => rig.request('note')));
  const log = new HeldEventLog(rig.log);
  await rig.start(log);
  await rig.until(() => log.held > 0);
  expect(rig.ready).toBe(false);
  log.letGo();
  await rig.until(() => rig.ready);
  for (const call_id of waiting) await rig.seen(call_id, 'policy_decided');
});

test('policy is not ready before its decisions on them are on the log', async () => {
  await rig.stop();
  const waiting = await Promise.all(Array.from({ length: 20 }, () => rig.request('note')));
  const log = new FlakyLog(rig.log);
  log.fates.push(...Array.from({ length: 4 }, () => 'not_taken' as const));
  await rig.start(log);
  await rig.until(() => rig.ready);
  expect(log.fates).toEqual([]);
  const ruled = (await rig.published('policy-decided')).map(({ event }) => event.meta.call_id);
  expect(ruled).toEqual(expect.arrayContaining(waiting));
});
