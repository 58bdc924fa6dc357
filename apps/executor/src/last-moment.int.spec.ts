import type { EventMap } from '@countersign/contracts';
import { systemClock } from '@countersign/process';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

type Ruling = EventMap['policy_decided'];
let rig: Rig;
let log: FaultyLog;
let ahead_ms: number;
const clock = { ...systemClock, now_ms: () => Date.now() + ahead_ms };

beforeEach(async () => {
  rig = await Rig.open();
  log = new FaultyLog(rig.log);
  ahead_ms = 0;
});
afterEach(() => rig.close());

const typesOf = async ({ meta }: Ruling) => (await rig.eventsOf(meta.call_id as string)).map(({ event_type }) => event_type);

/** Blocks all starts from the log until the returned function is called. */
function stall(): () => void {
  log.refuses = (record) => record.headers.event_type === 'tool_call_started';
  return () => {
    log.refuses = () => false;
  };
}

/** A claimed write whose start does not reach the log. */
async function stalled(ruling: Partial<Ruling> = {}): Promise<Ruling> {
  const before = log.refused;
  const decision = await rig.allow('blind_write', 'a', { ruling });
  await rig.until(() => log.refused > before);
  return decision;
}

/** Waits until the executor has checked several times how stale its configuration is. */
async function looked(): Promise<void> {
  const before = log.configuration_reads;
  await rig.until(() => log.configuration_reads > before + 10);
}

/** Forbids these tools, and waits until the executor knows it. */
async function forbid(): Promise<void> {
  const meta = { ...rig.meta('0-11111111-1111-4111-8111-111111111111', 'default'), call_id: null, partition: 0 };
  const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
  const rule = { rule_id: 'freeze', approver_roles: [], quorum: 1, expires_after_ms: null, requirement: null };
  const set = (tool: string) => ({ meta, tool, tier: 'tier_3_blocked' as const, by, changed_at_ms: Date.now(), ...rule });
  await rig.put('tool_policy_set', [set('blind_write'), set('test_read')]);
  await rig.until(async () => {
    const probe = await rig.allow('test_read', 'probe', { ruling: { config_offset: -1 } });
    await rig.until(async () => (await typesOf(probe)).length > 0);
    return (await typesOf(probe)).includes('tool_call_rejudged');
  });
}

describe('a write whose start took long to reach the log', () => {
  test('does not run after its authorization expired: it ends as expired, and its key is free again', async () => {
    await rig.start({}, { log, clock });
    const pass = stall();
    const late = await stalled();
    ahead_ms = 120_000;
    pass();
    expect((await rig.end(late)).event.outcome).toMatchObject({ status: 'expired', effect: 'none', error: { code: 'TIMEOUT' } });
    expect(await typesOf(late)).toEqual(['tool_call_started', 'tool_executed']);
    expect(rig.world.effects).toEqual([]);
    const next = await rig.end(await rig.allow('blind_write', 'a', { ruling: { execute_before_ms: clock.now_ms() + 60_000 } }));
    expect(next.event.outcome.status).toBe('succeeded');
    expect(next.event.meta.attempt).toBe(2);
    expect(rig.world.effects).toHaveLength(1);
  });

  test('does not run if policy became stricter meanwhile', async () => {
    await rig.start({}, { log });
    const pass = stall();
    const forbidden = await stalled({ config_offset: -1 });
    await forbid();
    pass();
    expect((await rig.end(forbidden)).event.outcome).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'POLICY_DENIED' } });
    expect(rig.world.effects).toEqual([]);
  });
});

describe('while configuration is stale', () => {
  test('nothing is claimed, and waiting calls continue once it is read again', async () => {
    const metrics = new Registry();
    const app = await rig.start({}, { log, metrics });
    await rig.until(() => app.ready());
    log.staleness_ms = 60_000;
    const decision = await rig.allow('blind_write', 'a');
    const read = await rig.allow('test_read', 'b');
    await rig.until(async () => (await metrics.metrics()).includes('countersign_executor_calls{standing="waiting"} 2'));
    await looked();
    expect(app.ready()).toBe(false);
    expect(await rig.executed()).toEqual([]);
    expect(rig.world.reads).toEqual([]);
    log.staleness_ms = undefined;
    for (const each of [decision, read]) expect((await rig.end(each)).event.outcome.status).toBe('succeeded');
    expect(rig.world.effects).toHaveLength(1);
  });

  /** A write whose configuration became stale between its claim and its start, which is on the log now. */
  async function held(): Promise<Ruling> {
    const pass = stall();
    const decision = await stalled({ config_offset: -1 });
    log.staleness_ms = 60_000;
    pass();
    await rig.until(async () => (await typesOf(decision)).length === 1);
    await looked();
    expect(rig.world.effects).toEqual([]);
    return decision;
  }

  test('a started write is held, and runs once it is read again', async () => {
    await rig.start({}, { log });
    const decision = await held();
    log.staleness_ms = undefined;
    expect((await rig.end(decision)).event.outcome.status).toBe('succeeded');
    expect(await typesOf(decision)).toEqual(['tool_call_started', 'tool_executed']);
    expect(rig.world.effects).toHaveLength(1);
  });

  test('a held write ends if it is cancelled, or if its authorization expires', async () => {
    await rig.start({}, { log, clock });
    const cancelled = await held();
    await rig.cancel(cancelled);
    expect((await rig.end(cancelled)).event.outcome).toMatchObject({ status: 'cancelled', effect: 'none' });
    log.staleness_ms = undefined;
    const late = await held();
    ahead_ms = 120_000;
    expect((await rig.end(late)).event.outcome).toMatchObject({ status: 'expired', effect: 'none' });
    expect(rig.world.effects).toEqual([]);
  });

  test('a call that a dead executor had claimed but not started is held by its successor, and runs once', async () => {
    const first = await rig.start({ lease_ms: 1000 }, { log });
    await rig.end(await rig.allow('test_read', 'warm'));
    await first.close();
    log.staleness_ms = 60_000;
    const ruling = rig.ruling('blind_write', 'claimed');
    const [offset] = await rig.put('policy_decided', [ruling]);
    await rig.store.query({
      text: `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
        VALUES ($1, 1, 'default', $2, $3, 1, 0, 0, $4, 'shared', 1)`,
      params: [ruling.call.idempotency_key, (ruling.meta.call_id as string).slice(2), ruling.meta.partition, offset],
    });
    await rig.start({}, { log });
    await rig.until(async () => (await typesOf(ruling)).length === 1);
    await looked();
    expect(rig.world.effects).toEqual([]);
    log.staleness_ms = undefined;
    expect((await rig.end(ruling)).event.outcome.status).toBe('succeeded');
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
  });
});
