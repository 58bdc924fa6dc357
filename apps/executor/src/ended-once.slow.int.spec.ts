import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';
import { SharedStore } from './testing/several-processes.js';

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
