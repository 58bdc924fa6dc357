import { randomUUID } from 'node:crypto';
import { isInfrastructureFault } from '@countersign/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresStore } from './postgres/postgres-store.js';
import { describeStore } from './suite.js';

function serverUrl(): string {
  const url = process.env.COUNTERSIGN_TEST_DATABASE_URL;
  if (!url) throw new Error('set COUNTERSIGN_TEST_DATABASE_URL');
  return url;
}

async function administer(text: string): Promise<void> {
  const client = new pg.Client(serverUrl());
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** A separate database for this run on the given server, dropped at the end. */
async function throwaway(): Promise<{ store: PostgresStore; database: string; close: () => Promise<void> }> {
  const database = `countersign_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${database}`);
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  const store = await PostgresStore.open({ url: url.href, pool_max: 8 });
  const close = async () => {
    await store.close();
    await administer(`DROP DATABASE ${database} WITH (FORCE)`);
  };
  return { store, database, close };
}

describeStore('PostgreSQL', throwaway);

describe('a PostgreSQL that becomes unavailable', () => {
  let opened: Awaited<ReturnType<typeof throwaway>>;
  beforeAll(async () => {
    opened = await throwaway();
  });
  afterAll(async () => {
    await opened.close();
  });
  const killAll = () =>
    administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${opened.database}' AND pid <> pg_backend_pid()`);

  test('a silent server is an infrastructure fault after the timeout, and the next call works', async () => {
    const url = new URL(serverUrl());
    url.pathname = `/${opened.database}`;
    const store = await PostgresStore.open({ url: url.href, answer_timeout_ms: 300 });
    const fault = await store.query({ text: 'SELECT pg_sleep($1)', params: [5] }).catch((error: unknown) => error);
    expect(isInfrastructureFault(fault)).toBe(true);
    expect(await store.query({ text: 'SELECT 1 AS one', params: [] })).toEqual([{ one: 1 }]);
    await store.close();
  });

  test('a connection killed during a call is an infrastructure fault, writes nothing, and the next call works', async () => {
    const { store } = opened;
    await store.query({ text: 'CREATE TABLE cut (id int4)', params: [] });
    const running = store.atomically([
      { text: 'INSERT INTO cut VALUES ($1)', params: [1] },
      { text: 'SELECT pg_sleep($1)', params: [10] },
    ]);
    const outcome = running.then(
      () => 'finished',
      (error: unknown) => error,
    );
    await new Promise((wait) => setTimeout(wait, 200));
    await killAll();
    expect(await outcome).toMatchObject({ countersign_fault: 'infrastructure' });
    expect(await store.query({ text: 'SELECT count(*) AS n FROM cut', params: [] })).toEqual([{ n: 0 }]);
  });

  test('a transaction cut between its statements is an infrastructure fault, also while it is idle', async () => {
    const work = opened.store.transaction(async (sql) => {
      await sql.query({ text: 'SELECT 1 AS one', params: [] });
      await killAll();
      await new Promise((wait) => setTimeout(wait, 100));
      await sql.query({ text: 'SELECT 2 AS two', params: [] });
    });
    await expect(work).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
  });

  test('killed idle connections are replaced without a fault', async () => {
    const { store } = opened;
    await Promise.all(Array.from({ length: 8 }, () => store.query({ text: 'SELECT 1 AS one', params: [] })));
    await killAll();
    await new Promise((wait) => setTimeout(wait, 100));
    expect(await store.query({ text: 'SELECT 1 AS one', params: [] })).toEqual([{ one: 1 }]);
  });

  test('an unreachable server is an infrastructure fault', async () => {
    await expect(PostgresStore.open({ url: 'postgres://nobody@127.0.0.1:1/none' })).rejects.toMatchObject({
      countersign_fault: 'infrastructure',
    });
  });

  test('every session commits synchronously', async () => {
    expect(await opened.store.query({ text: 'SHOW synchronous_commit', params: [] })).toEqual([{ synchronous_commit: 'on' }]);
  });
});
