import { HeldEventLog } from '@countersign/event-log/testing/held-event-log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

describe('an allowed call', () => {
  test('a read runs once and leaves only its end', async () => {
    await rig.start();
    const ruling = await rig.allow('test_read', 'a');
    const end = await rig.end(ruling);
    expect(end).toMatchObject({
      event_type: 'tool_executed',
      event: { outcome: { status: 'succeeded', effect: 'none', output_json: '{"ok":true,"name":"a"}' } },
    });
    expect(rig.world.reads).toEqual(['a']);
    expect(await rig.eventsOf(ruling.meta.call_id as string)).toHaveLength(1);
  });

  test('a write writes its start to the log before its effect and its end after it', async () => {
    const log = new FaultyLog(rig.log);
    const typesOf = async (call_id: string | null) => (await rig.eventsOf(call_id as string)).map((event) => event.event_type);
    const open = rig.world.close();
    log.refuses = ({ headers }) => headers.event_type === 'tool_call_started';
    await rig.start({}, { log });
    const ruling = await rig.allow('blind_write', 'a', { act: 'gate' });
    await rig.until(() => log.refused > 2);
    expect(rig.world.effects).toEqual([]);
    log.refuses = () => false;
    await rig.until(() => rig.world.effects.length > 0);
    expect(await typesOf(ruling.meta.call_id)).toEqual(['tool_call_started']);
    open();
    expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'succeeded', effect: 'happened' });
    expect(await typesOf(ruling.meta.call_id)).toEqual(['tool_call_started', 'tool_executed']);
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
  });

  test('concurrent calls with one key: one effect, equal answers except for call_id and deduplicated', async () => {
    await rig.start();
    const rulings = Array.from({ length: 200 }, (_, at) => rig.ruling('blind_write', `key-${at % 40}`));
    await rig.put('policy_decided', rulings);
    const ends = await rig.ends(rulings.map((ruling) => ruling.meta.call_id as string));
    expect(rig.world.effects).toHaveLength(40);
    expect(new Set(rig.world.effects.map(({ key }) => key)).size).toBe(40);
    expect(ends.filter((end) => end.event_type === 'tool_executed')).toHaveLength(40);
    expect(ends.filter((end) => end.event_type === 'tool_retry_deduplicated')).toHaveLength(160);
    const answers = new Set(ends.map(({ event }) => `${event.idempotency_key} ${JSON.stringify(event.outcome)}`));
    expect(answers.size).toBe(40);
  });

  test('a decision that is delivered ten times has one effect and one end', async () => {
    await rig.start();
    const ruling = rig.ruling('blind_write', 'ten');
    await rig.put(
      'policy_decided',
      Array.from({ length: 10 }, () => ruling),
    );
    await rig.end(ruling);
    const later = await rig.allow('blind_write', 'after');
    await rig.end(later);
    await rig.put('policy_decided', [ruling]);
    await rig.end(await rig.allow('blind_write', 'after that'));
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
    expect((await rig.eventsOf(ruling.meta.call_id as string)).filter((event) => event.event_type !== 'tool_call_started')).toHaveLength(1);
  });
});

test('an executor is ready once it has read the calls that were allowed before its start, and no earlier', async () => {
  await rig.allow('blind_write', 'waits');
  const log = new HeldEventLog(rig.log);
  const app = await rig.start({}, { log });
  await rig.until(() => log.held > 0);
  expect(app.ready()).toBe(false);
  log.letGo();
  await rig.until(() => app.ready());
});
