import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const UNREADABLE = {
  status: 'failed',
  effect: 'none',
  error: { code: 'VALIDATION_ERROR', details_json: '{"reason":"record_unreadable"}' },
};

/** Writes invalid bytes to a topic that executors read, as a faulty service would. */
async function putBytes(value: Buffer, event_type: string, partition = 0, topic = 'policy-decided'): Promise<void> {
  await rig.log.append([{ topic, partition, key: null, value, headers: { event_type } }]);
}

/** The end offsets of a topic, and the stored history offsets. */
async function places(topic: string): Promise<{ head: number[]; history: number[] }> {
  const rows = await rig.store.query<{ partition: number; history_below: string }>({
    text: 'SELECT partition, history_below FROM executor_progress WHERE topic = $1 ORDER BY partition',
    params: [topic],
  });
  const head = await Promise.all(rows.map(({ partition }) => rig.log.head(topic, partition)));
  return { head, history: rows.map(({ history_below }) => Number(history_below)) };
}

const letters = (): Promise<number> => rig.log.head('dead-letter', 0);

describe('a record that no executor can handle', () => {
  test.each([
    ['policy_decided', 'policy-decided', () => rig.ruling('blind_write', 'cut')],
    ['approval_granted', 'approval-granted', () => rig.grant(rig.ruling('blind_write', 'cut'))],
  ] as const)('a %s whose body is cut off ends its call without effect, once', async (event_type, topic, make) => {
    const app = await rig.start();
    const event = make();
    const whole = rig.codec.encode(event_type, event as never);
    await putBytes(whole.subarray(0, whole.length - 10), event_type, event.meta.partition, topic);
    const call_id = event.meta.call_id as string;
    expect((await rig.ends([call_id]))[0]).toMatchObject({ event_type: 'tool_executed', event: { outcome: UNREADABLE } });
    expect(await letters()).toBe(1);
    await app.close();
    await rig.start();
    await rig.end(await rig.allow('blind_write', 'after'));
    expect(await rig.eventsOf(call_id)).toHaveLength(1);
    expect(await letters()).toBe(1);
    expect(rig.world.effects.map((effect) => effect.name)).toEqual(['after']);
  });

  test('that concerns no call is put into dead-letter once, and becomes history like its neighbours', async () => {
    const app = await rig.start();
    const around = () => [rig.ruling('blind_write', 'a'), rig.ruling('test_read', 'b'), rig.ruling('blind_write', 'c')];
    const first = around();
    await rig.put('policy_decided', first);
    for (const partition of [0, 1]) {
      await putBytes(Buffer.from('nonsense'), 'policy_decided', partition);
      await putBytes(Buffer.from('nonsense'), 'call_cancelled', partition, 'approval-granted');
    }
    const second = [rig.ruling('blind_write', 'd'), rig.ruling('blind_write', 'e')];
    await rig.put('policy_decided', second);
    await rig.ends([...first, ...second].map(({ meta }) => meta.call_id as string));
    await rig.until(async () => (await letters()) === 4);
    for (const topic of ['policy-decided', 'approval-granted'])
      await rig.until(async () => {
        const { head, history } = await places(topic);
        return head.length === 2 && head.join() === history.join();
      });
    await app.close();
    await rig.start();
    await rig.end(await rig.allow('blind_write', 'f'));
    expect(await letters()).toBe(4);
    expect(rig.world.effects).toHaveLength(5);
  });

  test('whose call is already running ends nothing', async () => {
    const open = rig.world.close();
    await rig.start();
    const ruling = await rig.allow('blind_write', 'slow', { act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const whole = rig.codec.encode('policy_decided', ruling);
    await putBytes(whole.subarray(0, whole.length - 10), 'policy_decided', ruling.meta.partition);
    await rig.until(async () => (await letters()) === 1);
    open();
    expect(await rig.end(ruling)).toMatchObject({ event_type: 'tool_executed', event: { outcome: { status: 'succeeded' } } });
    expect((await rig.eventsOf(ruling.meta.call_id as string)).map(({ event_type }) => event_type)).toEqual([
      'tool_call_started',
      'tool_executed',
    ]);
  });

  test('a call whose inputs are no JSON ends without effect and without a slot; the others run', async () => {
    await rig.start({ running_max: 1 });
    const broken = ['blind_write', 'test_read'].map((tool) => rig.ruling(tool, 'broken', { call: { inputs_json: '{"name":' } }));
    const sound = rig.ruling('blind_write', 'sound');
    await rig.put('policy_decided', [...broken, sound]);
    const ends = await rig.ends([...broken, sound].map(({ meta }) => meta.call_id as string));
    expect(ends.map(({ event }) => event.outcome)).toMatchObject([UNREADABLE, UNREADABLE, { status: 'succeeded' }]);
    expect(rig.world.effects.map((effect) => effect.name)).toEqual(['sound']);
  });
});
