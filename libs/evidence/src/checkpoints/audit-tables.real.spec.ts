import { randomUUID } from 'node:crypto';
import { COSIGNATURE_V1, cosign, noteSigner, parseNote, signCheckpoint } from '@countersign/proofs';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckpointRecord, FULL_EVERY } from './checkpoint-store.js';
import { CheckpointTable } from './checkpoint-table.js';
import { CosignedNotes } from './cosigned-notes.js';
import { TextRow } from './kept-text.js';

function serverUrl(): URL {
  const url = process.env.COUNTERSIGN_TEST_DATABASE_URL;
  if (!url) throw new Error('set COUNTERSIGN_TEST_DATABASE_URL');
  return new URL(url);
}

const database = `countersign_${randomUUID().replaceAll('-', '')}`;
let server: PostgresStore;
let stores: PostgresStore[];

beforeAll(async () => {
  server = await PostgresStore.open({ url: serverUrl().href, pool_max: 1 });
  await server.query({ text: `CREATE DATABASE ${database}`, params: [] });
  const url = serverUrl();
  url.pathname = `/${database}`;
  stores = [];
  for (let n = 0; n < 2; n++) stores.push(await PostgresStore.open({ url: url.href, pool_max: 4 }));
}, 60_000);
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.query({ text: `DROP DATABASE ${database} WITH (FORCE)`, params: [] });
  await server.close();
}, 30_000);

const checkpoint = (number: number, by: string): CheckpointRecord => ({
  number,
  time_ms: number,
  trees: 1,
  heads_root: '',
  full: number % FULL_EVERY === 0,
  heads: [['t', 0, number + 1, Buffer.alloc(32, number % 256).toString('base64')]],
  note: by,
});

test('with two signers on one Postgres each number is written by exactly one, in any race, none is skipped, and both read the same', async () => {
  const NUMBERS = 300;
  const written = { one: 0, two: 0 };
  const sign = async (by: 'one' | 'two', table: CheckpointTable) => {
    for (let next = 0; next < NUMBERS; ) {
      if ((await table.append(checkpoint(next, by))) === 'kept') written[by]++;
      next = ((await table.newest())?.record.number ?? -1) + 1;
    }
  };
  const [one, two] = stores.map((store) => new CheckpointTable(store)) as [CheckpointTable, CheckpointTable];
  await Promise.all([sign('one', one), sign('two', two)]);
  expect(written.one + written.two).toBe(NUMBERS);
  const seen: [number, string][] = [];
  for await (const { number, note } of one.records()) seen.push([number, note]);
  expect(seen.map(([number]) => number)).toEqual(Array.from({ length: NUMBERS }, (_, n) => n));
  expect(seen.filter(([, by]) => by === 'one').length).toBe(written.one);
  expect((await two.at(137))?.record).toEqual((await one.at(137))?.record);
  expect((await one.newest())?.heads.get('t/0')?.size).toBe(NUMBERS);
}, 60_000);

test('a number that is not the next one is refused, and an existing one is unchanged', async () => {
  const table = new CheckpointTable(stores[0] as PostgresStore);
  const { number } = (await table.newest())?.record as CheckpointRecord;
  expect(await table.append(checkpoint(number + 2, 'ahead'))).toBe('taken');
  expect(await table.append(checkpoint(number, 'late'))).toBe('taken');
  expect((await table.at(number))?.record.note).not.toBe('late');
}, 30_000);

test('witnesses that talk to two gateways at the same time lose no cosignature', async () => {
  const log = noteSigner('log.example', Buffer.alloc(32, 1));
  const witnesses = [2, 3, 4, 5].map((seed) => noteSigner(`witness-${seed}.example`, Buffer.alloc(32, seed), COSIGNATURE_V1));
  const gateways = stores.map(
    (store) =>
      new CosignedNotes(
        new TextRow(store, 'cosigned'),
        new CheckpointTable(store),
        log.verifier,
        witnesses.map(({ verifier }) => ({ key: verifier, checks: 'heads' as const })),
      ),
  ) as [CosignedNotes, CosignedNotes];
  const table = new CheckpointTable(stores[0] as PostgresStore);
  const first = ((await table.newest())?.record.number ?? -1) + 1;
  for (let number = first; number < first + 10; number++) {
    const note = signCheckpoint({ size: number + 1, root: Buffer.alloc(32, number % 256) }, log);
    expect(await table.append(checkpoint(number, note))).toBe('kept');
    const text = parseNote(note)?.text as string;
    const added = witnesses.map((witness, at) => gateways[(at % 2) as 0 | 1].add(note + cosign(text, 1_790_000_000, witness)));
    expect(await Promise.all(added)).toEqual(witnesses.map(({ verifier }) => ({ witnesses: [verifier.name] })));
    for (const gateway of gateways) {
      const newest = await gateway.newest();
      expect(newest?.number).toBe(number);
      for (const { verifier } of witnesses) expect(newest?.note).toContain(`— ${verifier.name} `);
    }
  }
}, 60_000);
