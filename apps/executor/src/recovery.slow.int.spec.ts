import type { RunningApp } from '@countersign/process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';
import { SharedStore, StoppedClock } from './testing/several-processes.js';

const SETTLED = 'SELECT 1 AS settled FROM tool_executions WHERE key = $1 AND state = 2';
let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

describe('an executor that restarts', () => {
  test('reads everything again and runs nothing twice', async () => {
    const first = await rig.start();
    const rulings = Array.from({ length: 50 }, (_, at) => rig.ruling('blind_write', `w${at}`));
    await rig.put('policy_decided', rulings);
    await rig.ends(rulings.map((ruling) => ruling.meta.call_id as string));
    await first.close();
    await rig.start();
    await rig.end(await rig.allow('blind_write', 'one more'));
    expect(rig.world.effects).toHaveLength(51);
  });

  test('with an empty database restores it from the log: nothing runs twice, repeats are answered, other inputs refused', async () => {
    const first = await rig.start();
    const key = '22222222-2222-4222-8222-222222222222';
    const done = await rig.allow('blind_write', 'done', { key });
    const failed = await rig.allow('blind_write', 'failed', { act: 'refuse' });
    const doubt = await rig.allow('blind_write', 'doubt', { act: 'lose_answer' });
    await rig.ends([done, failed, doubt].map((ruling) => ruling.meta.call_id as string));
    const before = (await rig.executed()).length;
    await first.close();
    await rig.loseDatabase();
    await rig.start();
    const answers = [
      await rig.allow('blind_write', 'done', { key }),
      await rig.allow('blind_write', 'doubt'),
      await rig.allow('blind_write', 'other', { key }),
    ];
    const ends = await rig.ends(answers.map((ruling) => ruling.meta.call_id as string));
    expect(ends.map((end) => end.event.outcome.status)).toEqual(['succeeded', 'in_doubt', 'failed']);
    const second = await rig.end(await rig.allow('blind_write', 'failed'));
    expect(second.event.meta.attempt).toBe(2);
    expect(second).toMatchObject({ event: { outcome: { status: 'succeeded' } } });
    expect(rig.world.effects.map((effect) => effect.name).sort()).toEqual(['done', 'doubt', 'failed']);
    expect((await rig.executed()).length).toBe(before + 5);
    const epochs = (await rig.executed()).flatMap((event) => (event.event_type === 'tool_call_started' ? [event.event.epoch] : []));
    expect(new Set(epochs).size).toBe(2);
  });

  test('loses an expired lease during an effect: nothing more runs, the successor settles, the late result is evidence', async () => {
    const clock = new StoppedClock();
    const open = rig.world.close();
    await rig.start({ lease_ms: 1000 }, { clock });
    const slow = await rig.allow('blind_write', 'a', { act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    await rig.fenceAll();
    clock.jump(60_000);
    const end = await rig.end(slow);
    expect(end).toMatchObject({ event_type: 'tool_call_in_doubt' });
    open();
    await rig.until(async () => (await rig.eventsOf(slow.meta.call_id as string)).some((event) => event.event_type === 'tool_executed'));
    expect(rig.world.effects).toHaveLength(1);
    const repeat = await rig.end(await rig.allow('blind_write', 'a'));
    expect(repeat).toMatchObject({ event_type: 'tool_retry_deduplicated' });
    // The late result is folded into the row, then it answers.
    const key = slow.call?.idempotency_key as string;
    await rig.until(async () => (await rig.store.query({ text: SETTLED, params: [key] })).length === 1);
    expect((await rig.end(await rig.allow('blind_write', 'a'))).event.outcome.status).toBe('succeeded');
    expect(rig.world.effects).toHaveLength(1);
  });

  test('a call that a dead executor had claimed but not started runs at its successor, once', async () => {
    const first = await rig.start({ lease_ms: 1000 });
    await rig.end(await rig.allow('blind_write', 'warm'));
    await first.close();
    const ruling = rig.ruling('blind_write', 'claimed');
    const [offset] = await rig.put('policy_decided', [ruling]);
    await rig.store.query({
      text: `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
        VALUES ($1, 1, 'default', $2, $3, 1, 0, 0, $4, 'shared', 1)`,
      params: [ruling.call.idempotency_key, (ruling.meta.call_id as string).slice(2), ruling.meta.partition, offset],
    });
    await rig.start();
    expect((await rig.end(ruling)).event.outcome.status).toBe('succeeded');
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
  });

  test('a call that was decided again and then granted: its start and its end count, whoever reads them later', async () => {
    const first = await rig.start({ lease_ms: 1000 });
    const about = { ...rig.meta('0-11111111-1111-4111-8111-111111111111', 'default'), call_id: null, partition: 0 };
    const set = (tier: 'tier_3_blocked' | 'tier_1_auto') => {
      const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
      const rule = { rule_id: 'freeze', approver_roles: [], quorum: 1, expires_after_ms: null, requirement: null };
      return rig.put('tool_policy_set', [{ meta: about, tool: 'blind_write', tier, by, changed_at_ms: Date.now(), ...rule }]);
    };
    await set('tier_3_blocked');
    const started = await rig.allow('blind_write', 'started', { ruling: { config_offset: -1 } });
    const ended = await rig.allow('blind_write', 'ended', { ruling: { config_offset: -1 } });
    for (const { meta } of [started, ended]) await rig.until(async () => (await rig.eventsOf(meta.call_id as string)).length === 1);
    await first.close();
    await set('tier_1_auto');
    await rig.startedByAnother(started);
    const { source, key, grant } = await rig.startedByAnother(ended);
    const { tool, version } = ended.call;
    const times = { started_at_ms: 1, ended_at_ms: 2, duration_ms: 1, retry_count: 0 };
    const none = { error: null, truncated: false, attachments: [], warnings: [], extras: null };
    const outcome = {
      status: 'succeeded' as const,
      output_json: '{"ok":true,"name":"ended"}',
      effect: 'happened' as const,
      ...times,
      ...none,
    };
    const { meta, decision_id, revision } = grant;
    await rig.put('tool_executed', [
      { meta, idempotency_key: key, tool, version, epoch: 1, decision_id, revision, outcome, source, also: null },
    ]);
    // Open calls beside them keep the stored position of the ends reader low.
    await rig.store.query({ text: 'UPDATE executor_progress SET ends_from = 0', params: [] });
    await rig.start({ lease_ms: 1000 });
    expect(await rig.end(started)).toMatchObject({ event_type: 'tool_call_in_doubt' });
    expect(await rig.end(await rig.allow('blind_write', 'ended'))).toMatchObject({ event_type: 'tool_retry_deduplicated' });
    expect((await rig.eventsOf(meta.call_id as string)).map(({ event_type }) => event_type)).toEqual([
      'tool_call_rejudged',
      'tool_call_started',
      'tool_executed',
    ]);
    expect(rig.world.effects).toEqual([]);
  });

  test('two executors on one log share the partitions: each call has one effect and one end', async () => {
    const apps: RunningApp[] = [];
    const shared = new SharedStore(rig.store);
    apps.push(await rig.start({}, { store: shared }), await rig.start({}, { store: shared }));
    const rulings = Array.from({ length: 200 }, (_, at) => rig.ruling('blind_write', `k${at % 100}`));
    const epochs = async () =>
      new Set((await rig.executed()).flatMap((each) => (each.event_type === 'tool_call_started' ? [each.event.epoch] : [])));
    await rig.put('policy_decided', rulings.slice(0, 100));
    await rig.until(async () => (await epochs()).size === 2);
    await apps[0]?.close();
    await rig.put('policy_decided', rulings.slice(100));
    await rig.ends(
      rulings.map((ruling) => ruling.meta.call_id as string),
      20_000,
    );
    expect(rig.world.effects).toHaveLength(100);
    expect(new Set(rig.world.effects.map(({ key }) => key)).size).toBe(100);
    await rig.end(await rig.allow('blind_write', 'one more'));
    const ends = (await rig.executed()).filter(({ event_type }) => event_type !== 'tool_call_started');
    expect(ends).toHaveLength(201);
    expect(new Set(ends.map(({ event }) => event.meta.call_id)).size).toBe(201);
  });
});

describe('shares', () => {
  test('a flood of one tenant does not starve another', async () => {
    await rig.start({ running_max: 4 });
    const flood = Array.from({ length: 400 }, (_, at) => rig.ruling('test_read', `flood-${at}`, { tenant: 'loud', wait_ms: 10 }));
    await rig.put('policy_decided', flood);
    const quiet = rig.ruling('test_read', 'quiet', { tenant: 'quiet' });
    await rig.put('policy_decided', [quiet]);
    await rig.end(quiet);
    expect(rig.world.reads.length).toBeLessThan(200);
  });
});
