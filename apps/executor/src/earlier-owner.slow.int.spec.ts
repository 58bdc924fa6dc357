import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

type Ruling = ReturnType<Rig['ruling']>;

/** The earlier owner of the partition, of this epoch, ended the call: it was cancelled and had no effect. */
async function cancelledByEarlierOwner(ruling: Ruling, attempt: number, epoch = 0): Promise<void> {
  const { meta, call, decision_id, revision } = ruling;
  const times = { started_at_ms: 1, ended_at_ms: 2, duration_ms: 1, retry_count: 0 };
  const none = { output_json: null, error: null, truncated: false, attachments: [], warnings: [], extras: null };
  const outcome = { status: 'cancelled' as const, effect: 'none' as const, ...times, ...none };
  const source = { topic: 'policy-decided', offset: 0 };
  const { idempotency_key, tool, version } = call;
  await rig.put('tool_executed', [
    { meta: { ...meta, attempt }, idempotency_key, tool, version, epoch, decision_id, revision, outcome, source, also: null },
  ]);
}

test('a call that the earlier owner of its partition ended meanwhile does not run, even if it is claimed and started', async () => {
  await rig.start();
  await rig.end(await rig.allow('blind_write', 'the lease is held'));
  const ended = Array.from({ length: 8 }, (_, at) => rig.ruling('blind_write', `w${at}`));
  const next = Array.from({ length: 8 }, (_, at) => rig.ruling('blind_write', `w${at}`));
  for (const ruling of ended) await cancelledByEarlierOwner(ruling, 1);
  await rig.put('policy_decided', ended);
  for (const ruling of ended) await rig.until(async () => (await rig.eventsOf(ruling.meta.call_id as string)).filter(isEnd).length > 1);
  await rig.put('policy_decided', next);
  for (const ruling of next) expect((await rig.end(ruling)).event_type).toBe('tool_executed');
  for (const ruling of ended)
    for (const { event } of (await rig.eventsOf(ruling.meta.call_id as string)).filter(isEnd))
      expect(event).toMatchObject({ outcome: { effect: 'none' } });
  expect(rig.world.effects).toHaveLength(1 + next.length);
});

test('a row whose call ended without it is released with its executor, so that the next call of its key runs', async () => {
  const first = await rig.start();
  await rig.end(await rig.allow('blind_write', 'before'));
  await first.close();
  const ruling = rig.ruling('blind_write', 'k');
  const [offset] = await rig.put('policy_decided', [ruling]);
  await cancelledByEarlierOwner(ruling, 2);
  const { meta, call } = ruling;
  await rig.store.query({
    text: `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
      VALUES ($1, 1, 'default', $2, $3, 1, 0, 0, $4, 'shared', 1)`,
    params: [call.idempotency_key, (meta.call_id as string).slice(2), meta.partition, offset],
  });
  await rig.start();
  expect((await rig.end(await rig.allow('blind_write', 'k'))).event_type).toBe('tool_executed');
  expect(rig.world.effects).toHaveLength(2);
});

/** A call of a fenced owner that may have fired is taken over; before its next start that owner's end of this attempt is recorded. */
async function endedBeforeResend(attempt: number): Promise<Ruling> {
  const log = new FaultyLog(rig.log);
  const first = await rig.start({}, { log });
  await rig.end(await rig.allow('keyed_write', 'before'));
  await first.close();
  const ruling = rig.ruling('keyed_write', 'k');
  await rig.put('policy_decided', [ruling]);
  await rig.startedByAnother(ruling);
  log.refuses = ({ headers }) => headers.event_type === 'tool_call_started';
  await rig.start({}, { log });
  await rig.until(() => log.refused > 0);
  await cancelledByEarlierOwner(ruling, attempt, 1);
  log.refuses = () => false;
  return ruling;
}

const typesOf = async ({ meta }: Ruling) => (await rig.eventsOf(meta.call_id as string)).map(({ event_type }) => event_type);

test('a call that was taken over is not sent again if its fenced owner ends it before the new start: its key runs once', async () => {
  const ruling = await endedBeforeResend(1);
  const next = await rig.end(await rig.allow('keyed_write', 'k'));
  expect(next.event).toMatchObject({ meta: { attempt: 2 }, outcome: { status: 'succeeded' } });
  expect(await typesOf(ruling)).toEqual(['tool_call_started', 'tool_executed', 'tool_call_started']);
  expect(rig.world.effects.map(({ name }) => name)).toEqual(['before', 'k']);
});

test('an end that does not name its row does not stop it from being sent again: its row shows the effect', async () => {
  await endedBeforeResend(2);
  await rig.until(() => rig.world.effects.length === 2);
  expect(await rig.end(await rig.allow('keyed_write', 'k'))).toMatchObject({ event_type: 'tool_retry_deduplicated' });
  expect(rig.world.effects.map(({ name }) => name)).toEqual(['before', 'k']);
});

test('a call is taken over once its decision can be read, although it could not be at first', async () => {
  const first = await rig.start();
  await rig.end(await rig.allow('keyed_write', 'before'));
  await first.close();
  const log = new FaultyLog(rig.log);
  log.unreadable = (topic, max) => topic.startsWith('approval-granted') && max === 1;
  const ruling = rig.ruling('keyed_write', 'k');
  await rig.put('policy_decided', [ruling]);
  await rig.startedByAnother(ruling);
  await rig.start({}, { log });
  await rig.until(() => log.unread > 0);
  log.unreadable = () => false;
  await rig.until(() => rig.world.effects.length === 2, 20_000);
});

const isEnd = ({ event_type }: { event_type: string }): boolean => event_type === 'tool_executed';
