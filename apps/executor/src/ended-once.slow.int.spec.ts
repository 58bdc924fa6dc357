import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { PARTITIONS } from './testing/played-policy.js';
import { Rig } from './testing/rig.js';
import { SharedStore, StoppedClock } from './testing/several-processes.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

/** A call whose request was repeated after a kill: the policy service forgets ended calls, so it decides it again. */
const ruledAgain = (ruling: ReturnType<Rig['ruling']>) => rig.put('policy_decided', [ruling]);

const endsOf = async (ruling: ReturnType<Rig['ruling']>): Promise<string[]> =>
  (await rig.eventsOf(ruling.meta.call_id as string)).map(({ event_type }) => event_type);

describe('a call that was answered without its own row has one end', () => {
  test('when its decision is repeated after a restart', async () => {
    const first = await rig.start();
    await rig.end(await rig.allow('blind_write', 'a'));
    const repeat = await rig.allow('blind_write', 'a');
    const read = await rig.allow('test_read', 'r');
    expect((await rig.end(repeat)).event_type).toBe('tool_retry_deduplicated');
    await rig.end(read);
    await first.close();
    await rig.start();
    await ruledAgain(repeat);
    await ruledAgain(read);
    await rig.end(await rig.allow('blind_write', 'a'));
    await rig.end(await rig.allow('test_read', 'r', { call: { idempotency_key: read.call.idempotency_key } }));
    expect([await endsOf(repeat), await endsOf(read)]).toEqual([['tool_retry_deduplicated'], ['tool_executed']]);
    expect(rig.world.effects).toHaveLength(1);
  });

  test('when it waits for a call that still runs in the process that lost their partition', async () => {
    const shared = new SharedStore(rig.store);
    const open = rig.world.close();
    await rig.start({}, { store: shared });
    const leaders = Array.from({ length: 12 }, (_, at) => rig.ruling('blind_write', `w${at}`, { act: 'gate' }));
    const repeats = Array.from({ length: 12 }, (_, at) => rig.ruling('blind_write', `w${at}`, { act: 'gate' }));
    await rig.put('policy_decided', leaders);
    await rig.until(() => rig.world.effects.length === leaders.length);
    await rig.put('policy_decided', repeats);
    await rig.start({}, { store: shared });
    const epochs = async () =>
      new Set((await rig.executed()).flatMap((each) => (each.event_type === 'tool_call_started' ? [each.event.epoch] : [])));
    let written = leaders.length;
    for (; (await epochs()).size < 2; written++) await rig.end(await rig.allow('blind_write', `until one moved ${written}`));
    open();
    await rig.ends([...leaders, ...repeats].map(({ meta }) => meta.call_id as string));
    for (let number = 0; number < 8; number++, written++) await rig.end(await rig.allow('blind_write', `after ${number}`));
    for (const repeat of repeats) expect(await endsOf(repeat)).toEqual(['tool_retry_deduplicated']);
    expect(rig.world.effects).toHaveLength(written);
  });
});

/** One call of each partition whose tool does not answer. */
async function unanswered() {
  const calls = new Map<number, ReturnType<Rig['ruling']>>();
  for (let at = 0; calls.size < PARTITIONS; at++) {
    const ruling = rig.ruling('blind_write', `u${at}`, { act: 'gate' });
    calls.set(ruling.meta.partition, ruling);
  }
  await rig.put('policy_decided', [...calls.values()]);
  await rig.until(() => rig.world.effects.length === calls.size);
  return [...calls.values()];
}

test('a call whose end is on its way to the log is not taken over by the same process under its next lease', async () => {
  const log = new FaultyLog(rig.log);
  const clock = new StoppedClock();
  const answer = rig.world.close();
  await rig.start({ lease_ms: 1000 }, { log, clock });
  let land = () => {};
  const landed = new Promise<void>((resolve) => {
    land = resolve;
  });
  let is_sent = false;
  log.delay = (records) => {
    if (!records.some(({ headers }) => headers.event_type === 'tool_executed')) return undefined;
    is_sent = true;
    return landed;
  };
  const refused = await rig.allow('keyed_write', 'k', { act: 'refuse' });
  await rig.until(() => is_sent);
  const before = await endsOf(refused);
  const others = await unanswered();
  await rig.fenceAll();
  clock.jump(60_000);
  for (const other of others) expect((await rig.end(other)).event_type).toBe('tool_call_in_doubt');
  land();
  await rig.end(refused);
  answer();
  expect((await rig.end(await rig.allow('keyed_write', 'k'))).event).toMatchObject({
    meta: { attempt: 2 },
    outcome: { status: 'succeeded' },
  });
  expect(await endsOf(refused)).toEqual([...before, 'tool_executed']);
});
