import { rowsOfKeys } from '@countersign/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

describe('a write whose response was lost', () => {
  test('is sent again with its key if its system accepts it, a bounded number of times: one effect', async () => {
    await rig.start();
    const ruling = await rig.allow('keyed_write', 'a', { act: 'lose_answer' });
    const end = await rig.end(ruling);
    expect(end).toMatchObject({ event_type: 'tool_call_in_doubt' });
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
    expect(end.event.outcome.retry_count).toBe(3);
  });

  test('is reconciled if the tool has a reconcile, and ends with the real outcome', async () => {
    await rig.start();
    const ruling = await rig.allow('asked_write', 'a', { act: 'lose_answer' });
    expect(await rig.end(ruling)).toMatchObject({
      event_type: 'tool_executed',
      event: { outcome: { status: 'succeeded', output_json: '{"ok":true,"name":"a"}' } },
    });
  });

  test('did_not_happen counts if the settle time is final, and the next request is attempt 2', async () => {
    await rig.start();
    const lost = await rig.allow('final_write', 'a', { act: 'lose_request' });
    expect((await rig.end(lost)).event.outcome).toMatchObject({ status: 'failed', effect: 'none' });
    const again = await rig.allow('final_write', 'a');
    const end = await rig.end(again);
    expect(end.event.outcome.status).toBe('succeeded');
    expect(end.event.meta.attempt).toBe(2);
  });

  test('did_not_happen of a living process is no proof: in doubt', async () => {
    await rig.start();
    const lost = await rig.allow('asked_write', 'a', { act: 'lose_request' });
    expect((await rig.end(lost)).event_type).toBe('tool_call_in_doubt');
  });

  test('without key and reconcile it is in doubt, holds its key, and only a person resolves it', async () => {
    await rig.start();
    const lost = await rig.allow('blind_write', 'a', { act: 'lose_answer' });
    expect((await rig.end(lost)).event.outcome).toMatchObject({ status: 'in_doubt', effect: 'unknown', error: { code: 'IN_DOUBT' } });
    const repeat = await rig.allow('blind_write', 'a');
    expect(await rig.end(repeat)).toMatchObject({ event_type: 'tool_retry_deduplicated', event: { outcome: { status: 'in_doubt' } } });
    expect(rig.world.effects).toHaveLength(1);
    await rig.resolve(lost, 'happened');
    await rig.until(async () =>
      (await rig.eventsOf(lost.meta.call_id as string)).some((event) => event.event_type === 'tool_call_resolved'),
    );
    const after = await rig.allow('blind_write', 'a');
    expect(await rig.end(after)).toMatchObject({ event_type: 'tool_retry_deduplicated', event: { outcome: { status: 'succeeded' } } });
    await rig.resolve(lost, 'did_not_happen');
    await rig.end(await rig.allow('test_read', 'later'));
    expect((await rig.eventsOf(lost.meta.call_id as string)).filter((event) => event.event_type === 'tool_call_resolved')).toHaveLength(1);
  });

  test('resolved as not happened releases the key', async () => {
    await rig.start();
    const lost = await rig.allow('blind_write', 'a', { act: 'lose_request' });
    expect((await rig.end(lost)).event_type).toBe('tool_call_in_doubt');
    await rig.resolve(lost, 'did_not_happen');
    await rig.until(async () =>
      (await rig.eventsOf(lost.meta.call_id as string)).some((event) => event.event_type === 'tool_call_resolved'),
    );
    const again = await rig.end(await rig.allow('blind_write', 'a'));
    expect(again).toMatchObject({ event_type: 'tool_executed', event: { outcome: { status: 'succeeded' } } });
    expect(again.event.meta.attempt).toBe(2);
  });

  test('with a malformed response it may have happened', async () => {
    await rig.start();
    expect((await rig.end(await rig.allow('blind_write', 'a', { act: 'wrong_shape' }))).event_type).toBe('tool_call_in_doubt');
    const read = await rig.end(await rig.allow('test_read', 'a', { act: 'wrong_shape' }));
    expect(read.event.outcome).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'VALIDATION_ERROR' } });
  });

  test('after a timeout it may have happened, and its late response resolves the doubt', async () => {
    await rig.start();
    const open = rig.world.close();
    const slow = await rig.allow('blind_write', 'a', { act: 'gate' });
    expect((await rig.end(slow)).event_type).toBe('tool_call_in_doubt');
    open();
    await rig.until(async () =>
      (await rig.eventsOf(slow.meta.call_id as string)).some((event) => event.event_type === 'tool_call_resolved'),
    );
    expect((await rig.eventsOf(slow.meta.call_id as string)).at(-1)).toMatchObject({
      event: { by: 'late_result', outcome: { status: 'succeeded' } },
    });
  });
});

describe('a result that comes late', () => {
  const typesOf = async (call_id: string | null) => (await rig.eventsOf(call_id as string)).map(({ event_type }) => event_type);

  /** A call in doubt whose tool still runs. */
  async function doubtful(log?: FaultyLog) {
    await rig.start({}, log ? { log } : {});
    const open = rig.world.close();
    const slow = await rig.allow('blind_write', 'a', { act: 'gate' });
    expect((await rig.end(slow)).event_type).toBe('tool_call_in_doubt');
    return { slow, open };
  }

  test('is recorded as evidence if a person had said that nothing happened', async () => {
    const { slow, open } = await doubtful();
    await rig.resolve(slow, 'did_not_happen');
    await rig.until(async () => (await typesOf(slow.meta.call_id)).includes('tool_call_resolved'));
    open();
    await rig.until(async () => (await typesOf(slow.meta.call_id)).at(-1) === 'tool_executed');
    expect((await rig.eventsOf(slow.meta.call_id as string)).at(-1)).toMatchObject({ event: { outcome: { effect: 'happened' } } });
  });

  test('counts if it was sent to the log before a person decided: the key stays taken', async () => {
    const log = new FaultyLog(rig.log);
    const { slow, open } = await doubtful(log);
    let held = false;
    let release: () => void = () => undefined;
    log.delay = (records) => {
      if (held || !records.some(({ headers }) => headers.event_type === 'tool_call_resolved')) return undefined;
      held = true;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    open();
    await rig.until(() => held);
    await rig.resolve(slow, 'did_not_happen');
    await rig.end(await rig.allow('test_read', 'later'));
    release();
    await rig.until(async () => (await typesOf(slow.meta.call_id)).includes('tool_call_resolved'));
    expect((await typesOf(slow.meta.call_id)).filter((type) => type === 'tool_call_resolved')).toHaveLength(1);
    await rig.until(async () => (await rowsOfKeys(rig.store, [slow.call.idempotency_key]))[0]?.state === 2);
    expect(await rig.end(await rig.allow('blind_write', 'a'))).toMatchObject({ event_type: 'tool_retry_deduplicated' });
  });
});

describe('a write that failed without effect', () => {
  test('releases its key: the next request is attempt 2 with its own effect', async () => {
    await rig.start();
    const refused = await rig.allow('blind_write', 'a', { act: 'refuse' });
    expect((await rig.end(refused)).event.outcome).toMatchObject({ status: 'failed', effect: 'none' });
    const again = await rig.end(await rig.allow('blind_write', 'a'));
    expect(again).toMatchObject({ event_type: 'tool_executed', event: { outcome: { status: 'succeeded' } } });
    expect(again.event.meta.attempt).toBe(2);
  });

  test('is not tried again once it is cancelled: it ends without an effect', async () => {
    await rig.start();
    const busy = await rig.allow('blind_write', 'a', { act: 'busy' });
    await rig.until(() => rig.world.refused.size === 1);
    await rig.cancel(busy);
    expect((await rig.end(busy)).event.outcome).toMatchObject({ status: 'cancelled', effect: 'none' });
    expect(rig.world.effects).toEqual([]);
  });
});
