import { randomBytes } from 'node:crypto';
import 'reflect-metadata';
import { uuidv7 } from '@countersign/contracts';
import { type EventLog, LogTransport, PrefixedEventLog } from '@countersign/event-log';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { type AppDeps, createLogger, NestLogger, type RunningApp, topicSpecs } from '@countersign/process';
import { type Build, prepareViews, readBuilds, tableDigest, viewSets, waitForPosition } from '@countersign/store';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ViewFolder } from '../folding/view-folder.js';
import { projections } from '../projections/index.js';
import { ProjectorModule } from '../projector.module.js';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';

const { COUNTERSIGN_TEST_KAFKA: brokers, COUNTERSIGN_TEST_DATABASE_URL: server } = process.env;
const name = `cs_rebuild_${randomBytes(5).toString('hex')}`;
const history = new SampleHistory();
const codec = PlatformOnDisk.codec();
let admin: PostgresStore;
let store: PostgresStore;
let readers: PostgresStore;
const opened: { close(): Promise<void> }[] = [];

/** Dependencies of a separate projector: its own log client and pool. */
async function member(): Promise<AppDeps> {
  const inner = await KafkaEventLog.open({ brokers: [brokers as string], client_id: name, session_timeout_ms: 6_000, heartbeat_ms: 300 });
  opened.push(inner);
  const log: EventLog = new PrefixedEventLog(inner, `${name}-`);
  await log.ensureTopics(topicSpecs(['shared'], 1));
  return PlatformOnDisk.depsOn(log, store, codec);
}

let deps: AppDeps;
/** Errors in the projector's log. */
const faults: string[] = [];
beforeAll(async () => {
  if (!brokers || !server) throw new Error('set COUNTERSIGN_TEST_KAFKA and COUNTERSIGN_TEST_DATABASE_URL');
  admin = await PostgresStore.open({ url: server, pool_max: 1 });
  await admin.query({ text: `CREATE DATABASE ${name}`, params: [] });
  const url = new URL(server);
  url.pathname = `/${name}`;
  store = await PostgresStore.open({ url: url.href });
  readers = await PostgresStore.open({ url: url.href });
  deps = await member();
  deps.logger.error = ((_: unknown, message: string) => void faults.push(message)) as typeof deps.logger.error;
  history.openCase('c1', 'First');
  await append();
  await more(3_000);
}, 90_000);
afterAll(async () => {
  for (const one of opened.reverse()) await one.close();
  await readers.close();
  await store.close();
  await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)`, params: [] });
  await admin.close();
}, 60_000);

let appended = 0;
async function append(): Promise<void> {
  for (; appended < history.events.length; appended += 500) {
    const part = history.events.slice(appended, appended + 500);
    await deps.log.append(part.map((at) => PlatformOnDisk.recordOf(codec, at)));
  }
  appended = history.events.length;
}

/** Appends calls until the log has this many more events. */
async function more(count: number): Promise<void> {
  const from = history.events.length;
  for (let n = 0; history.events.length < from + count; n++) history.call(courses[n % courses.length]!, n % 2 === 0 ? 'c1' : null);
  await append();
}

async function folded(): Promise<void> {
  const topics = [...new Set(history.events.map(({ topic }) => topic))];
  const wanted = await Promise.all(topics.map(async (topic) => ({ topic, partition: 0, offset: (await deps.log.head(topic, 0)) - 1 })));
  expect(await waitForPosition(store, wanted, 40_000)).toBe(true);
}

async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + 40_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const found = await what();
    if (found) return found;
  }
  throw new Error('it does not come to that');
}

const live = async (projection: string): Promise<Build | undefined> =>
  (await readBuilds(store)).find((build) => build.projection === projection && build.state === 'live');
const switched = async (projection: string, before: Build) => {
  const now = await live(projection);
  return now !== undefined && now.suffix !== before.suffix && now;
};
const digests = async () => Promise.all(viewSets.flatMap(({ tables }) => tables.map((table) => tableDigest(store, table.name, table.key))));
const count = async (of: PostgresStore | { query: PostgresStore['query'] }, view: string) =>
  (await of.query<{ n: number }>({ text: `SELECT count(*)::int4 AS n FROM ${view}`, params: [] }))[0]?.n as number;

/** Requests a rebuild of some projections at once. */
async function ask(...names: string[]): Promise<void> {
  const by = { kind: 'user' as const, id: 'op', roles: [] };
  const meta = { tenant_id: 'acme', call_id: null, attempt: 0, causation_id: null, correlation_id: '', hlc: 9_000_000, partition: 0 };
  const records = names.map((projection) => {
    const event = { meta: { ...meta, event_id: uuidv7(1) }, projection, by, requested_at_ms: 1 };
    const value = codec.encode('projection_rebuild_requested', event);
    return { topic: 'configuration-changed', partition: 0, key: null, value, headers: { event_type: 'projection_rebuild_requested' } };
  });
  await deps.log.append(records);
}

/** Reads views repeatedly, and reports if there were ever fewer rows than before, or a read failed. */
class Reader {
  reads = 0;
  private reading = true;
  private readonly done: Promise<void>;

  constructor(private readonly view: string) {
    this.done = this.read();
    this.done.catch(() => undefined);
  }

  private async read(): Promise<void> {
    for (let seen = 0; this.reading; this.reads++) {
      const rows = await count(readers, this.view);
      if (rows < seen) throw new Error(`${this.view} had ${seen} rows, then ${rows}`);
      seen = rows;
    }
  }

  stop(): Promise<void> {
    this.reading = false;
    return this.done;
  }
}

let projector: RunningApp;

test('a rebuild during traffic: readers see no gap and no error, and the rows are equal', async () => {
  projector = await startProjector(deps, { lanes: ['shared'] });
  await folded();
  const builds = { call: (await live('call')) as Build, history: (await live('case-history')) as Build };
  const reading = ['calls', 'case_history', 'calls'].map((view) => new Reader(view));
  await ask('call', 'case-history');
  for (let turn = 0; turn < 5; turn++) await more(200);
  await until(() => switched('call', builds.call));
  await until(() => switched('case-history', builds.history));
  await more(200);
  await folded();
  for (const reader of reading) await reader.stop();
  expect(Math.min(...reading.map(({ reads }) => reads))).toBeGreaterThan(10);
  expect(await count(store, 'calls')).toBeGreaterThan(500);
  const before = await digests();
  const first = (await live('call')) as Build;
  await ask(...viewSets.map((set) => set.name));
  await until(() => switched('call', first));
  await until(async () => !(await readBuilds(store)).some(({ state }) => state === 'building'));
  await folded();
  expect(await digests()).toEqual(before);
}, 90_000);

test('a view that is being read is not switched and not waited for, and is switched afterwards', async () => {
  const before = (await live('usage')) as Build;
  const tries = async () =>
    (
      await admin.query<{ n: number }>({
        text: `SELECT xact_rollback::int4 AS n FROM pg_stat_database WHERE datname = $1`,
        params: [name],
      })
    )[0]?.n as number;
  const rollbacks = await tries();
  await readers.transaction(async (sql) => {
    const rows = await count({ query: sql.query }, 'usage_hours');
    await ask('usage');
    await until(async () => (await tries()) > rollbacks + 2);
    expect((await live('usage'))?.suffix).toBe(before.suffix);
    // Other readers continue meanwhile, and written rows stay.
    expect(await count(store, 'usage_hours')).toBe(rows);
    await more(100);
    await folded();
  });
  await until(() => switched('usage', before));
  await folded();
  expect(faults).toEqual([]);
}, 60_000);

/** A projector of the previous version: it folds by its plan and ignores newer rows. */
async function olderMember(): Promise<{ close(): Promise<void>; faults: string[] }> {
  const own = await member();
  const faults: string[] = [];
  const report = (_: unknown, message: string) => void faults.push(message);
  const older = projections.map((each) => (each.set.name === 'case-history' ? { ...each, set: { ...each.set, version: 0 } } : each));
  const folder = new ViewFolder({ store, owner_id: uuidv7(2), projections: older, sink: { warn: report, error: report } });
  const transport = new LogTransport({
    log: own.log,
    codec,
    group: 'projector',
    lanes: ['shared'],
    visibility: 'durable',
    batch_records_max: 500,
    now_ms: () => own.clock.now_ms(),
    faults: own.logger,
    owner: folder,
    poison: async ({ record }) => folder.skip(record.topic, record.partition, record.offset),
  });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(ProjectorModule.with(folder), {
    strategy: transport,
    logger: new NestLogger(createLogger('test', 'silent')),
  });
  await app.listen();
  const close = async () => {
    await app.close();
    await folder.close();
  };
  return { close, faults };
}

test('a deploy raises a version: the old member folds its tables, the new one builds and switches, the old one stops', async () => {
  await projector.close();
  const before = (await live('case-history')) as Build;
  await store.query({ text: `UPDATE projection_builds SET version = 0 WHERE projection = 'case-history' AND state = 'live'`, params: [] });
  const old = await olderMember();
  await more(200);
  await folded();
  const lines = await count(store, 'case_history');
  await store.transaction((sql) => prepareViews(sql));
  const reader = new Reader('case_history');
  await more(200);
  await folded();
  expect(await count(store, 'case_history')).toBeGreaterThan(lines);
  expect((await live('case-history'))?.suffix).toBe(before.suffix);
  projector = await startProjector(await member(), { lanes: ['shared'] });
  opened.push(projector);
  await until(() => switched('case-history', before));
  await more(200);
  await until(async () => old.faults.includes('readers see views of a newer version: stop this process'));
  await old.close();
  await folded();
  await reader.stop();
  const after = await digests();
  const raised = (await live('case-history')) as Build;
  await ask('case-history');
  await until(() => switched('case-history', raised));
  await folded();
  expect(await digests()).toEqual(after);
}, 90_000);
