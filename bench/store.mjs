// The arbiter's SQL on PGlite: `node bench/store.mjs [calls=200000] [postgres url]`. CPU is of the whole process, the worker's included.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquire, claimStatement, foldEndsStatement, PgliteStore } from '@countersign/store';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';

const calls = Number(process.argv[2] ?? 200_000);
const url = process.argv[3];
const COLUMNS = 'key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch';
const BARE = `INSERT INTO bare (${COLUMNS}) SELECT *, 'shared', $1::int4
  FROM unnest($2::uuid[], $3::int2[], $4::text[], $5::uuid[], $6::int2[], $7::int2[], $8::int8[], $9::int2[], $10::int8[])`;

const batchOf = (size, at) =>
  Array.from({ length: size }, (_, i) => ({
    key: randomUUID(),
    attempt: 1,
    tenant_id: 'acme',
    call_uuid: randomUUID(),
    partition: i % 4,
    state: 1,
    digest8: 4503599627370495,
    source_topic: 0,
    source_offset: at + i,
    approval_id: null,
  }));
const endsOf = (claims) =>
  claims.map(({ key, attempt, call_uuid, source_offset }) => ({
    key,
    attempt,
    call_uuid,
    state: 2,
    end_offset: source_offset,
    ended_at_s: 1_700_000_000,
  }));

/** Milliseconds a call: wall, CPU of the process, CPU and busy share of the main thread's event loop. */
async function measure(count, work) {
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  const active = performance.eventLoopUtilization(loop).active;
  return { wall: wall / count, cpu: (used.user + used.system) / 1000 / count, main: active / count };
}

const print = (name, m, bare) =>
  console.log(
    `${name.padEnd(34)} ${m.wall.toFixed(4)} ms wall  ${m.cpu.toFixed(4)} cpu  ${m.main.toFixed(4)} main${bare ? `  x${(m.wall / bare.wall).toFixed(2)} of bare insert` : ''}`,
  );

async function claimAndEnd(store, epoch, size, count) {
  let pending = null;
  for (let at = 0; at < count; at += size) {
    const claims = batchOf(size, at);
    const work = [store.query(claimStatement(epoch, claims))];
    if (pending) work.push(store.query(foldEndsStatement(endsOf(pending))));
    await Promise.all(work);
    pending = claims;
  }
  await store.query(foldEndsStatement(endsOf(pending)));
}

async function bareInsert(store, epoch, size, count) {
  for (let at = 0; at < count; at += size) {
    await store.query({ name: 'bare', text: BARE, params: claimStatement(epoch, batchOf(size, at)).params });
  }
}

/** The longest that a hot read waited while background batches of 500 rows ran without a pause. */
async function hotAmongBackground(store, epoch) {
  let running = true;
  const background = (async () => {
    while (running) {
      const params = claimStatement(epoch, batchOf(500, 0)).params;
      await Promise.all(
        [1, 2, 3].map(() =>
          store.atomically(
            [{ name: 'bare', text: BARE.replace('bare (', 'bare2 ('), params }].map((s) => ({ ...s, name: 'bare2' })),
            'background',
          ),
        ),
      );
    }
  })();
  const waits = [];
  for (let i = 0; i < 300; i++) {
    const start = performance.now();
    await store.query({ name: 'one', text: 'SELECT 1 AS one', params: [] });
    waits.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  running = false;
  await background;
  waits.sort((a, b) => a - b);
  return { p50: waits[150], p99: waits[297], worst: waits[299] };
}

async function bench(name, store) {
  const epoch = await acquire(store, { instance_id: 'bench', lane: 'shared', lease_ms: 3_600_000, epoch_above: 0 });
  for (const table of ['bare', 'bare2']) {
    await store.query({ text: `CREATE TABLE ${table} (LIKE tool_executions INCLUDING ALL)`, params: [] });
  }
  await store.query({ text: 'ALTER TABLE bare2 DROP CONSTRAINT bare2_pkey', params: [] });
  console.log(`\n${name}: ${calls} calls`);
  await claimAndEnd(store, epoch, 64, 2_048);
  for (const size of [64, 256]) {
    const bare = await measure(calls / 10, () => bareInsert(store, epoch, size, calls / 10));
    print(`bare insert, batches of ${size}`, bare);
    for (const part of [1, 2])
      print(
        `claim + end, batches of ${size}, part ${part}`,
        await measure(calls / 4, () => claimAndEnd(store, epoch, size, calls / 4)),
        bare,
      );
  }
  const hot = await hotAmongBackground(store, epoch);
  console.log(
    `hot read among background batches of 500: p50 ${hot.p50.toFixed(1)} ms, p99 ${hot.p99.toFixed(1)} ms, worst ${hot.worst.toFixed(1)} ms`,
  );
  console.log(`RSS ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`);
}

const dir = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
try {
  const start = performance.now();
  const store = await PgliteStore.open({ dir: join(dir, 'pg') });
  console.log(`open with a new directory: ${(performance.now() - start).toFixed(0)} ms`);
  await bench('PGlite on disk', store);
  await store.close();
  const warm = performance.now();
  await (await PgliteStore.open({ dir: join(dir, 'pg') })).close();
  console.log(`open and close warm: ${(performance.now() - warm).toFixed(0)} ms`);
} finally {
  await rm(dir, { recursive: true });
}
if (url) {
  const store = await PostgresStore.open({ url });
  await bench('PostgreSQL', store);
  await store.query({ text: 'DROP TABLE bare, bare2', params: [] });
  await store.close();
}
