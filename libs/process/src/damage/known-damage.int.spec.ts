import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventCodec, firstMeta } from '@countersign/contracts';
import { BatchDecoder, EmbeddedEventLog, type EventLog } from '@countersign/event-log';
import type { FoundDamage } from '@countersign/evidence';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import { DAMAGE_TOPIC, KnownDamage } from './known-damage.js';

const codec = new EventCodec();
const logger = { error: () => undefined } as never;
const acme = { tenant_id: 'acme', lane: 'shared' };
const forged: FoundDamage = {
  kind: 'log',
  found_by: 'fold',
  topic: 'tool-executed',
  partition: 1,
  first_offset: 3,
  last_offset: 3,
  reason: 'record 3 is another one',
};
let dir: string;
let log: EmbeddedEventLog;
let started: KnownDamage[];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'damage-'));
  started = [];
  log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
  await log.ensureTopics([DAMAGE_TOPIC, 'configuration-changed', 'security-event'].map((name) => ({ name, partitions: 1 })));
});
afterEach(async () => {
  for (const damage of started) await damage.close();
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

function known(on: EventLog = log): KnownDamage {
  const damage = new KnownDamage({ log: on, codec, clock: systemClock, logger });
  started.push(damage);
  return damage;
}
async function onRecord(damage: KnownDamage, count: number): Promise<void> {
  for (const end = Date.now() + 10_000; damage.state.open.size < count && Date.now() < end; ) await sleep(5);
  expect(damage.state.open.size).toBe(count);
}
async function eventsOf(topic: string) {
  const { events } = await new BatchDecoder(codec, undefined).decode(await log.read(topic, 0, 0, 1000));
  return events;
}

describe('found damage', () => {
  test('is recorded once, with a security event, and is known to processes that start later', async () => {
    const damage = known();
    await damage.start();
    for (const found_by of ['fold', 'scrub', 'fold'] as const) damage.found({ ...forged, found_by });
    expect([damage.of(acme)?.reason, damage.holdsSigning]).toEqual([forged.reason, true]);
    await onRecord(damage, 1);
    damage.found(forged);
    const later = known();
    await later.start();
    later.found({ ...forged, found_by: 'start' });
    expect(later.of(acme)).toMatchObject({ ...forged, found_by: 'fold' });
    expect((await eventsOf(DAMAGE_TOPIC)).map(({ event_type }) => event_type)).toEqual(['damage_found']);
    expect((await eventsOf('security-event')).map(({ event }) => event)).toMatchObject([{ kind: 'record_broken', detail: forged.reason }]);
  });

  test('counts at once even before the log is open, and is recorded at the start', async () => {
    const damage = known();
    damage.found(forged);
    expect(damage.of(acme)?.reason).toBe(forged.reason);
    await damage.start();
    await onRecord(damage, 1);
    expect(damage.open).toHaveLength(1);
  });

  test('counts while the log accepts no appends, and is recorded once it does', async () => {
    let refuses = true;
    const append: EventLog['append'] = (records) => (refuses ? Promise.reject(new Error('full')) : log.append(records));
    const damage = known(new Proxy(log, { get: (to, name) => (name === 'append' ? append : Reflect.get(to, name).bind?.(to)) }));
    await damage.start();
    damage.found(forged);
    await sleep(50);
    expect([damage.of(acme)?.reason, damage.state.open.size]).toEqual([forged.reason, 0]);
    refuses = false;
    await onRecord(damage, 1);
  });

  test('is recorded with at most 20 events for one partition', async () => {
    const damage = known();
    await damage.start();
    for (let n = 0; n < 100; n++) damage.found({ ...forged, first_offset: n, last_offset: n, reason: `record ${n} is another one` });
    damage.found({ ...forged, partition: 2 });
    await onRecord(damage, 21);
    expect(damage.open).toHaveLength(21);
  });

  test('is closed when accepted: the same records are not reported again, others are', async () => {
    const damage = known();
    await damage.start();
    damage.found(forged);
    await onRecord(damage, 1);
    const damage_ids = damage.open.map(({ damage_id }) => damage_id);
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const meta = firstMeta('default', Date.now());
    const value = codec.encode('damage_accepted', { meta, damage_ids, reason: 'no backup', by, accepted_at_ms: Date.now(), opened: [] });
    const headers = { event_type: 'damage_accepted' };
    const [offset] = await log.append([{ topic: 'configuration-changed', partition: 0, key: null, value, headers }]);
    await damage.decided(offset as number);
    expect([damage.of(acme), damage.holdsSigning]).toEqual([undefined, false]);
    damage.found({ ...forged, found_by: 'scrub' });
    expect(damage.open).toEqual([]);
    damage.found({ ...forged, found_by: 'signer' });
    damage.found({ ...forged, first_offset: 9, last_offset: 9, reason: 'record 9 is another one' });
    await onRecord(damage, 2);
  });
});
