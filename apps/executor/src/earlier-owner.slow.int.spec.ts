import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

type Ruling = ReturnType<Rig['ruling']>;

/** The earlier owner of the partition ended the call without a row: another call held its key, and the call was cancelled. */
async function cancelledByEarlierOwner(ruling: Ruling, attempt: number): Promise<void> {
  const { meta, call, decision_id, revision } = ruling;
  const times = { started_at_ms: 1, ended_at_ms: 2, duration_ms: 1, retry_count: 0 };
  const none = { output_json: null, error: null, truncated: false, attachments: [], warnings: [], extras: null };
  const outcome = { status: 'cancelled' as const, effect: 'none' as const, ...times, ...none };
  const source = { topic: 'policy-decided', offset: 0 };
  const { idempotency_key, tool, version } = call;
  await rig.put('tool_executed', [
    { meta: { ...meta, attempt }, idempotency_key, tool, version, epoch: 0, decision_id, revision, outcome, source, also: null },
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

const isEnd = ({ event_type }: { event_type: string }): boolean => event_type === 'tool_executed';
