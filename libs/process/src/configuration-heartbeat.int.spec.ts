import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventCodec, type EventMap, uuidv7 } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { PgliteStore, runningInstances } from '@countersign/store';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { foldConfiguration } from './configuration.js';
import { ConfigurationHeartbeat } from './configuration-heartbeat.js';
import { createLogger } from './logger.js';
import { CONFIGURATION_TOPIC, topicSpecs } from './topics.js';

const codec = new EventCodec();
const logger = createLogger('test', 'silent');
const clock = { now_ms: () => Date.now() };
const services = ['policy', 'policy', 'policy', 'executor', 'executor', 'gateway'];

let dir: string;
let log: EmbeddedEventLog;
let store: PgliteStore;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-witness-'));
  log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
  await log.ensureTopics(topicSpecs(['shared'], 1));
  store = await PgliteStore.open({ memory: true });
});
afterAll(async () => {
  await store.close();
  await log.close();
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

async function change(): Promise<number> {
  const event_id = uuidv7(Date.now());
  const at = { event_id, tenant_id: 'acme', call_id: null, attempt: 0, causation_id: null };
  const meta = { ...at, correlation_id: event_id.replaceAll('-', ''), hlc: Date.now() * 1000, partition: 0 };
  const by = { kind: 'user' as const, id: 'root', roles: ['policy_admin'] };
  const set: EventMap['fact_table_set'] = {
    meta,
    table: 't',
    mode: 'replace',
    rows_json: '{}',
    removed: [],
    by,
    changed_at_ms: Date.now(),
  };
  const headers = { event_type: 'fact_table_set' };
  const value = codec.encode('fact_table_set', set);
  const [offset] = await log.append([{ topic: CONFIGURATION_TOPIC, partition: 0, key: 'acme', value, headers }]);
  return offset as number;
}

/** The last report of every instance, including expired ones. */
const reported = () => store.query<{ config_offset: number }>({ text: 'SELECT config_offset FROM configuration_instances', params: [] });

async function reportedByAll(offset: number): Promise<void> {
  for (let all = await reported(); all.length < services.length || all.some((one) => one.config_offset < offset); all = await reported())
    await sleep(10);
}

test('every instance reports each change that it has folded before its next heartbeat, and no change waits for a stopped one', async () => {
  // Without heartbeats, every report follows a change.
  vi.spyOn(globalThis, 'setInterval').mockImplementation(() => setTimeout(() => undefined, 0));
  const running = services.map((service) => {
    const configuration = foldConfiguration({ log, codec });
    return { configuration, heartbeat: new ConfigurationHeartbeat(service, configuration, { store, logger, clock }) };
  });
  for (const { configuration, heartbeat } of running) {
    await configuration.start();
    heartbeat.start();
  }
  for (let round = 0; round < 5; round++) await reportedByAll(await change());
  expect((await runningInstances(store)).map(({ service }) => service)).toEqual([...services].sort());
  await running[0]?.heartbeat.close();
  await running[0]?.configuration.close();
  expect(await runningInstances(store)).toHaveLength(services.length - 1);
  for (const { configuration, heartbeat } of running.slice(1)) {
    await heartbeat.close();
    await configuration.close();
  }
  expect(await runningInstances(store)).toEqual([]);
});
