import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RecordWriter } from '@countersign/calls';
import { EventCodec, type EventMap, InfrastructureFault } from '@countersign/contracts';
import { EmbeddedEventLog, type LogRecord } from '@countersign/event-log';
import { CONFIGURATION_TOPIC, type Configuration, foldConfiguration, systemClock } from '@countersign/process';
import { PgliteStore, Store } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationWriter } from './configuration-writer.js';

/** A store that is unavailable while `is_away` is true. */
class LostStore extends Store {
  readonly durable = false;
  is_away = false;
  constructor(private readonly store: Store) {
    super();
  }
  query: Store['query'] = (statement) =>
    this.is_away ? Promise.reject(new InfrastructureFault('no connection')) : this.store.query(statement);
  atomically: Store['atomically'] = (statements, priority) => this.store.atomically(statements, priority);
  transaction: Store['transaction'] = (work) => this.store.transaction(work);
  close = () => this.store.close();
}

const codec = new EventCodec();
const by = { kind: 'user' as const, id: 'paula', roles: [] };
const versions = [{ item: 'policy_settings', version: -1 }];

let dir: string;
let log: EmbeddedEventLog;
let store: LostStore;
let configuration: Configuration;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-writer-'));
  log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
  await log.ensureTopics([CONFIGURATION_TOPIC, 'tool-registered'].map((name) => ({ name, partitions: 1 })));
  store = new LostStore(await PgliteStore.open({ memory: true }));
  configuration = foldConfiguration({ log, codec });
  await configuration.start();
}, 60_000);
afterAll(async () => {
  await configuration.close();
  await store.close();
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

const opened = () => new ConfigurationWriter(new RecordWriter(log), configuration, codec, { clock: systemClock, store });
const change = (writer: ConfigurationWriter, tenant_id: string, is_required: boolean) => {
  const fields = { single_policy_admin: false, simulation_required: true, by, changed_at_ms: 1 };
  return writer.change(tenant_id, 'policy_settings_set', fields, { versions, is_required });
};
const head = () => log.head(CONFIGURATION_TOPIC, 0);

async function based(): Promise<unknown> {
  const [record] = await log.read(CONFIGURATION_TOPIC, 0, (await head()) - 1, 1);
  const { event } = codec.decode((record as LogRecord).value) as { event: EventMap['policy_settings_set'] };
  return event.based_on;
}

test('while the running builds are unknown, an edit with If-Match is refused; others are written without a base', async () => {
  store.is_away = true;
  const writer = opened();
  const before = await head();
  await expect(change(writer, 'a', true)).rejects.toThrow('could not read the list of running instances');
  expect(await head()).toBe(before);
  expect(await change(writer, 'a', false)).toMatchObject({ offset: before });
  expect(await based()).toEqual([]);
});

test('the last known result applies while the store is unavailable, and a changed base is reported as a conflict', async () => {
  store.is_away = false;
  const writer = opened();
  expect(await change(writer, 'b', true)).toBeDefined();
  store.is_away = true;
  expect(await change(writer, 'c', true)).toBeDefined();
  expect(await based()).toEqual(versions);
  expect(await change(writer, 'c', true)).toBeUndefined();
  expect(configuration.state.changes.refused.size).toBe(1);
});
