import { uuidv7 } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import {
  type Build,
  builtTable,
  callTables,
  listCalls,
  prepareViews,
  readBuilds,
  type TableDigest,
  tableDigest,
  viewSets,
} from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';

const history = new SampleHistory();
let platform: PlatformOnDisk;
let projector: Awaited<ReturnType<typeof startProjector>>;

beforeAll(async () => {
  platform = await PlatformOnDisk.open();
  history.openCase('c1', 'First');
  await platform.append(history.events);
  await more(2_000);
  // The log may contain a record twice: a replay expects new rows, and must continue if a row exists.
  await platform.append(history.events.slice(0, 300));
  projector = await startProjector(platform.deps, { lanes: ['shared'] });
  await platform.folded();
});
afterAll(async () => {
  await projector.close();
  await platform.close();
});

/** Appends calls until the log has this many more events. */
async function more(count: number): Promise<void> {
  const from = history.events.length;
  for (let n = 0; history.events.length < from + count; n++) history.call(courses[n % courses.length]!, n % 2 === 0 ? 'c1' : null);
  const events = history.events.slice(from);
  for (let at = 0; at < events.length; at += 500) await platform.append(events.slice(at, at + 500));
}

async function ask(projection: string): Promise<void> {
  const meta = {
    event_id: uuidv7(1),
    tenant_id: 'acme',
    call_id: null,
    attempt: 0,
    causation_id: null,
    correlation_id: '',
    hlc: 9_000_000,
    partition: 0,
  };
  const event = { meta, projection, by: { kind: 'user' as const, id: 'op', roles: [] }, requested_at_ms: 1 };
  await platform.append([
    { event_type: 'projection_rebuild_requested', event, topic: 'configuration-changed', partition: 0 } as unknown as PlacedEvent,
  ]);
}

const versionOf = (projection: string) => viewSets.find(({ name }) => name === projection)?.version as number;
const buildsOf = async (projection: string): Promise<Build[]> =>
  (await readBuilds(platform.store)).filter((build) => build.projection === projection);
const live = async (projection: string) => (await buildsOf(projection)).find(({ state }) => state === 'live');

async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await what();
    if (found) return found;
  }
  throw new Error('it does not come to that');
}

async function digests(): Promise<TableDigest[]> {
  const tables = viewSets.flatMap((set) => set.tables);
  const found: TableDigest[] = [];
  for (const { name, key } of tables) found.push(await tableDigest(platform.store, name, key));
  return found;
}

async function allAnew(): Promise<void> {
  const request_offset = await platform.log.head('configuration-changed', 0);
  for (const { name } of viewSets) await ask(name);
  const answered = ({ state, asked_offset }: Build) => state === 'live' && (asked_offset ?? -1) >= request_offset;
  await until(async () => (await readBuilds(platform.store)).filter(answered).length >= viewSets.length);
}

describe('a projection is rebuilt beside the live rows', () => {
  test('on request: the new rows equal the old ones byte for byte, for all projections and for a single one', async () => {
    const before = await digests();
    expect(before.filter(({ rows }) => rows > 100).length).toBeGreaterThan(2);
    await ask('case-history');
    await until(async () => (await live('case-history'))?.suffix === `v${versionOf('case-history')}b2`);
    expect(await digests()).toEqual(before);
    for (const { name } of viewSets) await ask(name);
    await until(
      async () =>
        (await readBuilds(platform.store)).filter(({ state, asked_offset }) => state === 'live' && (asked_offset ?? 0) > 1).length >=
        viewSets.length,
    );
    expect((await live('call'))?.suffix).not.toBe(`v${versionOf('call')}`);
    expect(await digests()).toEqual(before);
    const indexes = await platform.store.query<{ n: number }>({
      text: `SELECT count(*)::int4 AS n FROM pg_indexes WHERE tablename = $1`,
      params: [builtTable('calls', (await live('call'))?.suffix as string)],
    });
    expect(indexes[0]?.n).toBe(1 + (callTables.tables[0]?.indexes ?? []).filter((text) => text.startsWith('CREATE INDEX')).length);
  });

  test('during traffic: readers never see fewer rows, and concurrent calls are in the new rows', async () => {
    const suffix = (await live('call'))?.suffix;
    let seen = 0;
    let reading = true;
    const reader = (async () => {
      while (reading) {
        const rows = await platform.store.query<{ n: number }>({ text: 'SELECT count(*)::int4 AS n FROM calls', params: [] });
        expect(rows[0]?.n).toBeGreaterThanOrEqual(seen);
        seen = rows[0]?.n ?? 0;
      }
    })();
    await ask('call');
    for (let n = 0; n < 10; n++) {
      await more(200);
      await platform.folded();
    }
    await until(async () => (await live('call'))?.suffix !== suffix);
    await more(200);
    await platform.folded();
    reading = false;
    await reader;
    const now = await digests();
    await allAnew();
    expect(await digests()).toEqual(now);
  });

  test('replaced tables are dropped, and a rebuild runs once', async () => {
    await until(async () => !(await readBuilds(platform.store)).some(({ state }) => state === 'replaced' || state === 'scratch'));
    const retired = (await buildsOf('call')).filter(({ state }) => state === 'retired');
    expect(retired.length).toBeGreaterThan(1);
    const tables = await platform.store.query<{ name: string }>({
      text: `SELECT relname::text AS name FROM pg_class WHERE relkind = 'r'`,
      params: [],
    });
    for (const { suffix } of retired) expect(tables.map(({ name }) => name)).not.toContain(builtTable('calls', suffix));
    const builds = (await readBuilds(platform.store)).length;
    await projector.close();
    projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await platform.folded();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await readBuilds(platform.store)).length).toBe(builds);
  });

  test('a raised version is built at the next start, with its new columns empty until then', async () => {
    await projector.close();
    const old = (await live('case-history')) as Build;
    const before = await digests();
    const table = builtTable('case_history', old.suffix);
    await platform.store.query({
      text: `UPDATE projection_builds SET version = 0 WHERE projection = 'case-history' AND state = 'live'`,
      params: [],
    });
    await platform.store.query({ text: `ALTER TABLE ${table} DROP COLUMN detail CASCADE`, params: [] });
    await platform.store.transaction((sql) => prepareViews(sql));
    const bare = await platform.store.query<{ n: number; details: number }>({
      text: 'SELECT count(*)::int4 AS n, count(detail)::int4 AS details FROM case_history',
      params: [],
    });
    expect(bare[0]).toMatchObject({ details: 0 });
    expect(bare[0]?.n).toBeGreaterThan(100);
    projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await more(200);
    await until(async () => (await live('case-history'))?.version === versionOf('case-history'));
    await platform.folded();
    const after = await digests();
    const rows = (of: TableDigest[], name: string) => of.find(({ table: found }) => found === name)?.rows ?? 0;
    expect(rows(after, 'case_history')).toBeGreaterThan(rows(before, 'case_history'));
    await ask('case-history');
    await until(async () => (await live('case-history'))?.asked_offset === (await platform.log.head('configuration-changed', 0)) - 1);
    expect(await digests()).toEqual(after);
    expect((await listCalls(platform.store, { tenant_id: 'acme', limit: 1 })).items).toHaveLength(1);
  });

  test('call states that this code cannot read: everything is folded again from the beginning', async () => {
    await projector.close();
    const before = await digests();
    await platform.store.query({
      text: `UPDATE projection_builds SET version = 0 WHERE projection = 'call' AND state = 'live'`,
      params: [],
    });
    await platform.store.transaction((sql) => prepareViews(sql));
    expect((await digests()).every(({ rows }) => rows === 0)).toBe(true);
    projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await platform.folded();
    await until(async () => JSON.stringify(await digests()) === JSON.stringify(before));
  });

  test('an older process does not write rows of a newer version', async () => {
    await projector.close();
    await platform.store.query({
      text: `UPDATE projection_builds SET version = ${versionOf('call') + 1} WHERE projection = 'call' AND state = 'live'`,
      params: [],
    });
    await expect(startProjector(platform.deps, { lanes: ['shared'] })).rejects.toThrow('run the newer release');
    await platform.store.query({
      text: `UPDATE projection_builds SET version = ${versionOf('call')} WHERE projection = 'call' AND state = 'live'`,
      params: [],
    });
    projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await platform.folded();
  });

  test('20,000 events are folded again to the same digest of every table', async () => {
    for (let part = 0; part < 10; part++) {
      await more(2_000);
      await platform.folded();
    }
    const before = await digests();
    expect(history.events.length).toBeGreaterThan(20_000);
    expect(before.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(15_000);
    await allAnew();
    expect(await digests()).toEqual(before);
  });
});
