import { attemptKey } from '@countersign/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RulingOptions } from './testing/played-policy.js';
import { type Ended, Rig } from './testing/rig.js';
import { SharedStore, StoppedClock } from './testing/several-processes.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const written = () => rig.world.effects.map(({ name }) => name);
const call = async (tool: string, name: string, options: RulingOptions = {}): Promise<Ended> =>
  rig.end(await rig.allow(tool, name, options));
const set = (name: string, options: RulingOptions = {}) => call('replacing_write', name, { slot: 's', ...options });

describe('an answer is valid only while its effect is in place', () => {
  test('A, B, A on one resource is three effects, each with the key of its own attempt', async () => {
    await rig.start();
    const [a, b, again] = [await set('A'), await set('B'), await set('A')];
    expect([a, b, again].map(({ event_type }) => event_type)).toEqual(['tool_executed', 'tool_executed', 'tool_executed']);
    expect(written()).toEqual(['A', 'B', 'A']);
    const key = a.event.idempotency_key;
    expect(again.event).toMatchObject({ idempotency_key: key, meta: { attempt: 2 } });
    expect([rig.world.effectsOf(key), rig.world.effectsOf(attemptKey(key, 2))]).toEqual([1, 1]);
  });

  test('a repeat of the same effect with nothing in between is answered, with the reason', async () => {
    await rig.start();
    await set('A');
    expect(await set('A')).toMatchObject({
      event_type: 'tool_retry_deduplicated',
      event: { because: 'effect_stands', effect_now: 'stands', outcome: { status: 'succeeded' } },
    });
    expect(written()).toEqual(['A']);
  });

  test('an effect on another resource, or by another tenant on an equal name, invalidates nothing', async () => {
    await rig.start();
    await set('A');
    await set('B', { slot: 'other' });
    await set('B', { tenant: 'elsewhere' });
    expect((await set('A')).event_type).toBe('tool_retry_deduplicated');
  });

  test('an effect on a parent or child resource invalidates the answer too', async () => {
    await rig.start();
    for (const later of ['s', 's/x/y']) {
      await set('A', { slot: 's/x' });
      await set(`over ${later}`, { slot: later });
      expect((await set('A', { slot: 's/x' })).event_type).toBe('tool_executed');
    }
  });

  test('a later adding effect does not invalidate the answer of an adding one', async () => {
    await rig.start();
    const order = (name: string) => call('adding_write', name, { slot: 'orders' });
    await order('first');
    await order('second');
    expect((await order('first')).event_type).toBe('tool_retry_deduplicated');
    await set('C', { slot: 'orders' });
    expect((await order('first')).event_type).toBe('tool_executed');
  });

  test('a call that failed without effect releases the resource: the previous answer is valid', async () => {
    await rig.start();
    await set('A');
    expect((await set('B', { act: 'refuse' })).event.outcome).toMatchObject({ status: 'failed', effect: 'none' });
    expect((await set('A')).event_type).toBe('tool_retry_deduplicated');
  });

  test('a write without resources and read-back answers no new request, but one with the same caller key', async () => {
    await rig.start();
    await call('unnamed_write', 'A');
    expect((await call('unnamed_write', 'A')).event_type).toBe('tool_executed');
    const passed = { call: { key_source: 'header' as const }, key: '0190a1b2-0000-7000-8000-000000000001' };
    await call('unnamed_write', 'B', passed);
    const repeat = await call('unnamed_write', 'B', passed);
    expect(repeat).toMatchObject({ event_type: 'tool_retry_deduplicated', event: { because: 'same_request' } });
    expect(written()).toEqual(['A', 'A', 'B']);
  });

  test('a write without resources but with a read-back is checked before it answers', async () => {
    await rig.start();
    const first = await call('verified_write', 'A');
    expect(await call('verified_write', 'A')).toMatchObject({ event_type: 'tool_retry_deduplicated', event: { because: 'effect_stands' } });
    rig.world.faulty.effects.length = 0;
    expect(await call('verified_write', 'A')).toMatchObject({ event_type: 'tool_executed', event: { meta: { attempt: 2 } } });
    expect(rig.world.faulty.effects).toEqual([attemptKey(first.event.idempotency_key, 2)]);
  });

  describe('for a tool with resources and a read-back both must confirm', () => {
    test.each(['verified_adding_write', 'verified_replacing_write'])(
      '%s runs again where its tool sees no effect any more',
      async (tool) => {
        await rig.start();
        const first = await call(tool, 'A');
        const { idempotency_key } = first.event;
        expect(await call(tool, 'A')).toMatchObject({
          event_type: 'tool_retry_deduplicated',
          event: { because: 'effect_stands', effect_now: 'stands' },
        });
        rig.world.faulty.effects.length = 0;
        expect(await call(tool, 'A')).toMatchObject({ event_type: 'tool_executed', event: { meta: { attempt: 2 } } });
        expect(rig.world.faulty.effects).toEqual([attemptKey(idempotency_key, 2)]);
      },
    );

    test('after a later effect on its resource the tool is not queried', async () => {
      await rig.start();
      await call('verified_replacing_write', 'A');
      await call('verified_adding_write', 'A');
      const options = rig.world.faulty.read_backs.length;
      expect((await call('verified_replacing_write', 'A', { call: { deadline_ms: Date.now() + 30_000 } })).event_type).toBe(
        'tool_executed',
      );
      // The read-back of the run itself.
      expect(rig.world.faulty.read_backs.length).toBe(options + 1);
    });

    test('a tool that cannot tell adds nothing a second time, and replaces again', async () => {
      await rig.start();
      await call('verified_adding_write', 'A');
      await call('verified_replacing_write', 'B');
      for (const verify of ['cannot_tell', 'throws', 'nothing'] as const) {
        rig.world.faulty.verify = verify;
        expect(await call('verified_adding_write', 'A')).toMatchObject({
          event_type: 'tool_retry_deduplicated',
          event: { because: 'effect_stands', effect_now: 'unknown' },
        });
        expect((await call('verified_replacing_write', 'B')).event_type).toBe('tool_executed');
      }
    });

    test('what a read-back remarks is recorded with the run and with the repeat that it answers, as bounded text', async () => {
      await rig.start();
      rig.world.faulty.verify = 'remarks';
      const [ran, repeated] = [await call('verified_adding_write', 'A'), await call('verified_adding_write', 'A')];
      const outcome = { status: 'succeeded', warnings: ['edited '.repeat(1_000).slice(0, 2_000)] };
      expect([ran.event, repeated.event]).toMatchObject([{ outcome }, { outcome, because: 'effect_stands', effect_now: 'stands' }]);
      rig.world.faulty.verify = 'odd_remark';
      expect((await call('verified_adding_write', 'B')).event.outcome?.warnings).toEqual(['no reason was given']);
    });

    test('a shortened result is not passed to its tool: the resources decide', async () => {
      await rig.start();
      const large = async () => {
        const { meta } = await rig.allow('verified_replacing_write', 'A', { act: 'large' });
        return (await rig.ends([meta.call_id as string], 25_000))[0];
      };
      expect((await large())?.event.outcome).toMatchObject({ status: 'succeeded', truncated: true });
      const options = rig.world.faulty.read_backs.length;
      const stands = { because: 'effect_stands', effect_now: 'stands' };
      expect(await large()).toMatchObject({ event_type: 'tool_retry_deduplicated', event: stands });
      expect(rig.world.faulty.read_backs.length).toBe(options);
    });

    test('with a key of the caller it answers, and reports what its tool sees', async () => {
      await rig.start();
      const passed = { call: { key_source: 'header' as const }, key: '0190a1b2-0000-7000-8000-000000000002' };
      await call('verified_adding_write', 'A', passed);
      const same_request = { event_type: 'tool_retry_deduplicated', event: { because: 'same_request', effect_now: 'stands' } };
      expect(await call('verified_adding_write', 'A', passed)).toMatchObject(same_request);
      rig.world.faulty.effects.length = 0;
      expect((await call('verified_adding_write', 'A', passed)).event).toMatchObject({ because: 'same_request', effect_now: 'unknown' });
    });
  });

  test('a decision that only joins never runs an effect: if the joined result is no longer valid, policy decides again', async () => {
    await rig.start();
    const a = await set('A');
    await set('B');
    const joined_call_id = a.event.meta.call_id;
    const ruling = await rig.allow('replacing_write', 'A', { slot: 's', ruling: { joined_call_id } });
    await rig.until(async () => (await rig.eventsOf(ruling.meta.call_id as string)).length > 0);
    expect(await rig.eventsOf(ruling.meta.call_id as string)).toMatchObject([
      { event_type: 'tool_call_rejudged', event: { because: 'answer_gone', revision: 1 } },
    ]);
    expect(written()).toEqual(['A', 'B']);
  });
});

describe('effects on one resource', () => {
  test('run one at a time, in any number, and all of them run', async () => {
    await rig.start();
    const rulings = Array.from({ length: 12 }, (_, at) =>
      rig.ruling('replacing_write', `${at}`, { slot: at % 2 ? 's' : 's/x', wait_ms: 20 }),
    );
    await rig.put('policy_decided', rulings);
    const ends = await rig.ends(rulings.map(({ meta }) => meta.call_id as string));
    const spans = ends.map(({ event }) => event.outcome).sort((one, other) => one.started_at_ms - other.started_at_ms);
    for (const [at, span] of spans.entries())
      if (at > 0) expect(span.started_at_ms).toBeGreaterThanOrEqual(spans[at - 1]?.ended_at_ms as number);
    expect(rig.world.effects).toHaveLength(12);
  });

  test('wait without a slot: other calls run meanwhile', async () => {
    await rig.start({ running_max: 2 });
    const open = rig.world.close();
    const first = await rig.allow('replacing_write', 'A', { slot: 's', act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const waiting = [await rig.allow('replacing_write', 'B', { slot: 's' }), await rig.allow('replacing_write', 'C', { slot: 's' })];
    for (const name of ['x', 'y', 'z']) await call('blind_write', name);
    expect(written()).toEqual(['A', 'x', 'y', 'z']);
    open();
    await rig.ends([first, ...waiting].map(({ meta }) => meta.call_id as string));
    expect(written()).toHaveLength(6);
  });

  test('wait no longer than their deadline, and can be cancelled while they wait', async () => {
    await rig.start();
    const open = rig.world.close();
    const first = await rig.allow('replacing_write', 'A', { slot: 's', act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const late = await rig.allow('replacing_write', 'B', { slot: 's', call: { deadline_ms: Date.now() + 300 } });
    const cancelled = await rig.allow('replacing_write', 'C', { slot: 's' });
    await rig.cancel(cancelled);
    expect((await rig.end(late)).event.outcome).toMatchObject({ status: 'expired', effect: 'none' });
    expect((await rig.end(cancelled)).event.outcome).toMatchObject({ status: 'cancelled', effect: 'none' });
    open();
    await rig.end(first);
    expect(written()).toEqual(['A']);
  });

  test('wait for a doubt until its settle time, then run with a warning', async () => {
    await rig.start();
    rig.world.reconcile = 'cannot_tell';
    const doubt = await call('adding_write', 'A', { slot: 's', act: 'lose_answer' });
    expect(doubt.event.outcome.status).toBe('in_doubt');
    const later = await set('B');
    expect(later.event.outcome.started_at_ms).toBeGreaterThanOrEqual(Math.floor(doubt.event.outcome.ended_at_ms / 1000) * 1000 + 100);
    expect(later.event.outcome.warnings).toEqual([expect.stringMatching(/^resource_in_doubt/)]);
    expect((await call('adding_write', 'A', { slot: 's' })).event.outcome.status).toBe('in_doubt');
  });
});

describe('several executors', () => {
  test('run effects on one resource one at a time, whichever partition and process they are in', async () => {
    const store = new SharedStore(rig.store);
    await rig.start({}, { store });
    await rig.start({}, { store });
    const rulings = Array.from({ length: 24 }, (_, at) =>
      rig.ruling('replacing_write', `${at}`, { slot: at % 3 ? 's' : 's/x', wait_ms: 15 }),
    );
    await rig.put('policy_decided', rulings);
    const ends = await rig.ends(
      rulings.map(({ meta }) => meta.call_id as string),
      30_000,
    );
    expect(new Set(ends.map(({ event }) => ('epoch' in event ? event.epoch : 0))).size).toBe(2);
    const spans = ends.map(({ event }) => event.outcome).sort((one, other) => one.started_at_ms - other.started_at_ms);
    for (const [at, span] of spans.entries())
      if (at > 0) expect(span.started_at_ms).toBeGreaterThanOrEqual(spans[at - 1]?.ended_at_ms as number);
    expect(rig.world.effects).toHaveLength(24);
  });

  test('a stopped executor holds its resource until its call has settled; a doubt invalidates answers until it is resolved', async () => {
    const clock = new StoppedClock();
    const open = rig.world.close();
    await rig.start({ lease_ms: 1000 }, { clock });
    const slow = await rig.allow('replacing_write', 'A', { slot: 's', act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const later = await rig.allow('replacing_write', 'B', { slot: 's' });
    await rig.fenceAll();
    clock.jump(60_000);
    expect(await rig.end(slow)).toMatchObject({ event_type: 'tool_call_in_doubt' });
    expect((await rig.end(later)).event.outcome).toMatchObject({
      status: 'succeeded',
      warnings: [expect.stringMatching(/^resource_in_doubt/)],
    });
    // As long as the write may still take effect, no result on its resource is valid.
    expect((await set('B')).event_type).toBe('tool_executed');
    open();
    await rig.until(async () => (await rig.eventsOf(slow.meta.call_id as string)).some((event) => event.event_type === 'tool_executed'));
    // The late result ends the doubt and releases the resource.
    await rig.until(async () => (await rig.store.query({ text: 'SELECT 1 AS held FROM resource_holds', params: [] })).length === 0);
    expect([(await set('C')).event_type, (await set('C')).event_type]).toEqual(['tool_executed', 'tool_retry_deduplicated']);
    expect((await set('B')).event_type).toBe('tool_executed');
    expect(written().slice(0, 3)).toEqual(['A', 'B', 'B']);
  });
});

describe('after the database is lost', () => {
  test('valid answers stay valid, invalid ones invalid, and calls still wait for a running effect', async () => {
    const app = await rig.start();
    await set('A');
    await set('B');
    await set('A', { slot: 'other' });
    await set('failed', { slot: 'other', act: 'refuse' });
    await app.close();
    rig.apps.splice(0);
    await rig.loseDatabase();
    await rig.start();
    expect((await set('B')).event_type).toBe('tool_retry_deduplicated');
    expect((await set('A', { slot: 'other' })).event_type).toBe('tool_retry_deduplicated');
    expect((await set('A')).event_type).toBe('tool_executed');
    expect((await set('B')).event_type).toBe('tool_executed');
  });
});
