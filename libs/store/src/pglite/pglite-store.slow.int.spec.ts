import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../store.js';
import { PgliteStore } from './pglite-store.js';

// Each test starts databases, which is slow while other suites run.

const STORE = new URL('./pglite-store.js', import.meta.url).href;
const WRITER = `
  const { PgliteStore } = await import(process.argv[1]);
  const store = await PgliteStore.open({ dir: process.argv[2] });
  for (let id = 1; ; id++) {
    await store.query({ name: 'keep', text: 'INSERT INTO kept VALUES ($1)', params: [id] });
    process.stdout.write(id + '\\n');
  }`;

const one = { text: 'SELECT 1 AS one', params: [] };

describe('PGlite on disk', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'countersign-pglite-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });
  const opened = async () => {
    const result = await PgliteStore.tryOpen({ dir: join(dir, 'pg') });
    if (!('store' in result)) throw result.cause;
    return result.store;
  };
  const create = (store: Store) => store.query({ text: 'CREATE TABLE kept (id int4)', params: [] });

  test('rows survive a close and the next start, and the schema is not run twice', async () => {
    const first = await opened();
    await create(first);
    await first.query({ text: 'INSERT INTO kept VALUES ($1)', params: [7] });
    await first.close();
    const second = await opened();
    expect(await second.query({ text: 'SELECT id FROM kept', params: [] })).toEqual([{ id: 7 }]);
    await second.close();
  });

  test('after the database process died a call fails with an infrastructure fault, and later calls find every committed row', async () => {
    const store = await opened();
    await create(store);
    await store.query({ text: 'INSERT INTO kept VALUES ($1)', params: [7] });
    const posts = vi.spyOn(Worker.prototype, 'postMessage');
    const running = store.query({ text: 'SELECT count(*) FROM generate_series(1, 10000000)', params: [] });
    await new Promise((wait) => setTimeout(wait, 50));
    await (posts.mock.contexts[0] as Worker).terminate();
    posts.mockRestore();
    await expect(running).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
    const rows = await store.query({ text: 'SELECT id FROM kept', params: [] });
    expect(rows).toEqual([{ id: 7 }]);
    await store.close();
  });

  test('after a process is killed while writing, every acknowledged row exists at the next start', async () => {
    await opened().then((store) => create(store).then(() => store.close()));
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', WRITER, STORE, join(dir, 'pg')]);
    let acknowledged = 0;
    for await (const chunk of child.stdout) {
      acknowledged = Number(String(chunk).trim().split('\n').at(-1));
      if (acknowledged > 1_000) child.kill('SIGKILL');
    }
    const store = await opened();
    const rows = await store.query({ text: 'SELECT count(*) AS n FROM kept WHERE id <= $1', params: [acknowledged] });
    expect(rows).toEqual([{ n: acknowledged }]);
    await store.close();
  });

  test('a database that panics ends its thread with an infrastructure fault, and every later call gets a response', async () => {
    const store = await opened();
    await create(store);
    await rm(join(dir, 'pg', 'pg_wal'), { recursive: true });
    const fill = { text: 'INSERT INTO kept SELECT generate_series(1, 400000)', params: [] };
    await expect(store.query(fill)).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
    await expect(store.query(one)).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
    await store.close();
  });

  test('a damaged directory is reported, and usable after a reset', async () => {
    await (await opened()).close();
    await rm(join(dir, 'pg', 'global'), { recursive: true });
    expect(await PgliteStore.tryOpen({ dir: join(dir, 'pg') })).toMatchObject({ unusable: 'damaged' });
    await PgliteStore.reset(join(dir, 'pg'));
    const again = await opened();
    expect(await again.query(one)).toEqual([{ one: 1 }]);
    await again.close();
  });

  test('a directory of a later or changed schema is reported as outdated', async () => {
    const store = await opened();
    await store.query({ text: "INSERT INTO migrations (name, digest) VALUES ('9999-of-a-later-version', '')", params: [] });
    await store.close();
    expect(await PgliteStore.tryOpen({ dir: join(dir, 'pg') })).toMatchObject({ unusable: 'outdated' });
  });

  test('an interrupted first start is repeated', async () => {
    await (await opened()).close();
    await rm(join(dir, 'pg', 'countersign.complete'));
    await rm(join(dir, 'pg', 'base'), { recursive: true });
    await writeFile(join(dir, 'pg', 'left-over'), '');
    await (await opened()).close();
    expect(await readdir(join(dir, 'pg'))).not.toContain('left-over');
  });
});

describe('PGlite in its thread', () => {
  let store: PgliteStore;
  beforeEach(async () => {
    store = await PgliteStore.open({ memory: true });
  });
  afterEach(async () => {
    await store.close();
  });

  test('a hot request runs before earlier background requests, and the main thread is not blocked', async () => {
    const order: string[] = [];
    const slow = { text: 'SELECT count(*) AS n FROM generate_series(1, 300000)', params: [] };
    const background = Array.from({ length: 8 }, (_, i) =>
      store.atomically([slow], 'background').then(() => order.push(`background ${i}`)),
    );
    await new Promise((wait) => setTimeout(wait, 5));
    await store.query(one).then(() => order.push('hot'));
    expect(order.length).toBeLessThanOrEqual(3);
    await Promise.all(background);
    expect(order).toHaveLength(9);
  });

  test('the store maintains table statistics itself', async () => {
    await store.query({ text: 'CREATE TABLE counted (id int4)', params: [] });
    await store.query({ text: 'INSERT INTO counted SELECT generate_series(1, 5000)', params: [] });
    const tuples = async () =>
      (await store.query({ text: "SELECT reltuples FROM pg_class WHERE relname = 'counted'", params: [] }))[0]?.reltuples;
    for (let i = 0; i < 100 && (await tuples()) !== 5_000; i++) await new Promise((wait) => setTimeout(wait, 50));
    expect(await tuples()).toBe(5_000);
  });

  test('after close every call is refused', async () => {
    const closed = await PgliteStore.open({ memory: true });
    await closed.close();
    await closed.close();
    await expect(closed.query(one)).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
  });
});
