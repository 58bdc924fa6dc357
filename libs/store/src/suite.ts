import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOwedCallbacks } from './callbacks/owed-callbacks.suite.js';
import { describeCircuits } from './circuits/circuits.suite.js';
import { claimOf, describeClaims, describeEnds, leaseOf } from './executions/arbiter.suite.js';
import { describeCheckedRows } from './executions/checked-executions.suite.js';
import { executionState } from './executions/execution-row.js';
import { describePlans } from './executions/plans.suite.js';
import { describeResources } from './executions/resources.suite.js';
import { restore } from './executions/restore.js';
import { rowsOfKeys } from './executions/rows.js';
import { orphans } from './executions/take-over.js';
import { describeKeyUses } from './key-uses/key-uses.suite.js';
import { describeLeases } from './leases/leases.suite.js';
import { describeLimits } from './limits/limits.suite.js';
import { migrations } from './migrations/every-migration.js';
import { migrate, SchemaOutdated } from './migrations/migrate.js';
import { describeNoticeClaims } from './notices/notice-claims.suite.js';
import { describeWebhookAttempts } from './notices/webhook-attempts.suite.js';
import { describeProducerRequests } from './producers/producer-requests.suite.js';
import { progressStatement, readProgress } from './progress/executor-progress.js';
import { readPolicySnapshot, savePolicySnapshot } from './progress/policy-snapshots.js';
import { forgetSagaSnapshot, readSagaSnapshot, saveSagaSnapshot } from './progress/saga-snapshots.js';
import { describeCallReferences } from './references/call-references.suite.js';
import { SqlError } from './sql-error.js';
import type { Store } from './store.js';
import { describeSealed } from './vault/sealed.suite.js';

const { running, succeeded, in_doubt } = executionState;

/** The contract of every Store adapter; `open` gives a fresh, migrated database, and `close` removes every trace of it. */
export function describeStore(name: string, open: () => Promise<{ store: Store; close: () => Promise<void> }>): void {
  describe(`store on ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    }, 60_000);
    afterAll(async () => {
      await opened.close();
    });
    const store = (): Store => opened.store;
    describePort(store);
    describeCopy(store);
    describeClaims(store);
    describeEnds(store);
    describeLeases(store);
    describeRows(store);
    describePlans(store);
    describeResources(store);
    describeLimits(store);
    describeSealed(store);
    describeNoticeClaims(store);
    describeWebhookAttempts(store);
    describeKeyUses(store);
    describeCircuits(store);
    describeCallReferences(store);
    describeProducerRequests(store);
    describeOwedCallbacks(store);
    describeCheckedRows(store);
  });
}

function describePort(store: () => Store): void {
  test('types are returned as int8 number, numeric text, uuid text, bytea Buffer, bool, null and text of any kind', async () => {
    const text = 'quote " backslash \\ brace {} comma , NULL \u{1F9FE} \n end';
    const uuid = randomUUID();
    const rows = await store().query({
      text: `SELECT $1::int8 AS whole, $2::numeric AS exact, $3::uuid AS id, $4::bytea AS bytes, $5::bool AS yes, $6::text AS nothing, $7::text AS words,
             $8::float8 AS real, $9::int2 AS small`,
      params: [2 ** 53 - 1, '12345678901234567890.10', uuid, Buffer.from([0, 1, 254, 255]), true, null, text, 0.1, -7],
    });
    expect(rows).toEqual([
      {
        whole: 2 ** 53 - 1,
        exact: '12345678901234567890.10',
        id: uuid,
        bytes: Buffer.from([0, 1, 254, 255]),
        yes: true,
        nothing: null,
        words: text,
        real: 0.1,
        small: -7,
      },
    ]);
  });

  test('arrays of any text, number, uuid, bytes and null reach unnest unchanged', async () => {
    const words = ['plain', 'NULL', 'null', '', ' ', '{}', 'a,b', '"', '\\', '\u{1F9FE}', "it's", 'x'.repeat(5_000), null];
    const bytes = [Buffer.from([0, 255]), null, Buffer.alloc(0)];
    const numbers = [1, -1, 2 ** 53 - 1, null];
    const list = async (type: string, values: unknown[]) => {
      const text = `SELECT v FROM unnest($1::${type}[]) WITH ORDINALITY AS u(v, n) ORDER BY n`;
      return (await store().query({ text, params: [values] })).map(({ v }) => v);
    };
    expect(await list('text', words)).toEqual(words);
    expect(await list('bytea', bytes)).toEqual(bytes);
    expect(await list('int8', numbers)).toEqual(numbers);
    const uuids = [randomUUID(), randomUUID(), null];
    expect(await list('uuid', uuids)).toEqual(uuids);
    expect(await list('uuid', ['01A2007F-B3C2-7001-9A67-44E55DC07CCA'])).toEqual(['01a2007f-b3c2-7001-9a67-44e55dc07cca']);
    expect(await list('int2', [-32_768, 32_767, null])).toEqual([-32_768, 32_767, null]);
    expect(await list('int4', [-2_147_483_648, 2_147_483_647])).toEqual([-2_147_483_648, 2_147_483_647]);
    expect(await list('int8', [-(2 ** 53 - 1), 4_294_967_296, -4_294_967_297])).toEqual([-(2 ** 53 - 1), 4_294_967_296, -4_294_967_297]);
    expect(await list('bool', [true, null, false])).toEqual([true, null, false]);
    expect(await list('float8', [0.1, -2])).toEqual([0.1, -2]);
    expect(await list('int8', ['12'])).toEqual([12]);
    expect(await list('text', [])).toEqual([]);
  });

  test('the database refuses an element that does not fit its type, and the connection remains usable', async () => {
    const list = (type: string, values: unknown[]) =>
      store().query({ text: `SELECT v FROM unnest($1::${type}[]) AS u(v)`, params: [values] });
    await expect(list('uuid', [randomUUID(), 'not-a-uuid'])).rejects.toMatchObject({ sqlstate: '22P02' });
    await expect(list('int2', [1, 40_000])).rejects.toMatchObject({ sqlstate: '22003' });
    await expect(list('int8', [1.5])).rejects.toMatchObject({ sqlstate: '22P02' });
    await expect(list('text', ['a', {}])).rejects.toThrow('which the store does not support');
    expect(await list('text', ['after'])).toEqual([{ v: 'after' }]);
  });

  test('a named statement is prepared once and runs with other parameters; results share no state', async () => {
    const ask = (n: number) => store().query({ name: 'twice', text: 'SELECT $1::int4 * 2 AS twice', params: [n] });
    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([[{ twice: 2 }], [{ twice: 4 }], [{ twice: 6 }]]);
    const runs = await store().transaction(async (sql) => {
      for (const n of [1, 2, 3]) await sql.query({ name: 'thrice', text: 'SELECT $1::int4 * 3 AS thrice', params: [n] });
      const text = `SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement LIKE '%AS thrice'`;
      return sql.query({ text, params: [] });
    });
    expect(runs).toEqual([{ runs: 3 }]);
  });

  test('a name that has one text is refused for another', async () => {
    await store().query({ name: 'stands', text: 'SELECT 1 AS one', params: [] });
    await expect(store().query({ name: 'stands', text: 'SELECT 2 AS two', params: [] })).rejects.toThrow('another text');
  });

  test('atomically returns the rows of each statement, and writes nothing if one fails', async () => {
    await store().query({ text: 'CREATE TABLE tried (id int4 PRIMARY KEY)', params: [] });
    const insert = (id: unknown) => ({ name: 'tried_insert', text: 'INSERT INTO tried (id) VALUES ($1) RETURNING id', params: [id] });
    const count = { text: 'SELECT count(*) AS n FROM tried', params: [] };
    expect(await store().atomically([insert(1), insert(2), count])).toEqual([[{ id: 1 }], [{ id: 2 }], [{ n: 2 }]]);
    await expect(store().atomically([insert(3), insert(1), insert(4)])).rejects.toMatchObject({ sqlstate: '23505' });
    await expect(store().atomically([insert(5), { text: 'SELECT nonsense', params: [] }], 'background')).rejects.toThrow(SqlError);
    expect(await store().query(count)).toEqual([{ n: 2 }]);
    expect(await store().atomically([])).toEqual([]);
    await store().query({ text: 'DROP TABLE tried', params: [] });
  });

  test('a transaction whose work throws is rolled back, one that returns is committed, and other queries run meanwhile', async () => {
    await store().query({ text: 'CREATE TABLE kept (id int4 PRIMARY KEY)', params: [] });
    const count = { text: 'SELECT count(*) AS n FROM kept', params: [] };
    const work = store().transaction(async (sql) => {
      await sql.query({ text: 'INSERT INTO kept VALUES ($1)', params: [1] });
      expect(await sql.query(count)).toEqual([{ n: 1 }]);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await store().query(count)).toEqual([{ n: 0 }]);
    const kept = store().transaction(async (sql) => {
      await sql.query({ text: 'INSERT INTO kept VALUES ($1)', params: [2] });
      await new Promise((wait) => setTimeout(wait, 20));
      return await sql.query(count);
    });
    const [inside, meanwhile] = await Promise.all([kept, store().query({ text: 'SELECT 1 AS one', params: [] })]);
    expect([inside, meanwhile]).toEqual([[{ n: 1 }], [{ one: 1 }]]);
    expect(await store().query(count)).toEqual([{ n: 1 }]);
    await store().query({ text: 'DROP TABLE kept', params: [] });
  });

  test('a statement that failed to parse does not make its name unusable', async () => {
    const broken = { name: 'spoiled', text: 'SELECT id FROM not_there_yet', params: [] };
    await expect(store().query(broken)).rejects.toMatchObject({ sqlstate: '42P01' });
    await store().query({ text: 'CREATE TABLE not_there_yet (id int4)', params: [] });
    expect(await store().query(broken)).toEqual([]);
    await store().query({ text: 'DROP TABLE not_there_yet', params: [] });
  });

  test('migrations run once, even if processes start together, and a changed one is refused', async () => {
    expect(await Promise.all([migrate(store()), migrate(store())])).toEqual([[], []]);
    const more = [...migrations, { name: '9999-of-this-test', text: 'CREATE TABLE migrated_once (id int4)' }];
    const done = await Promise.all(Array.from({ length: 4 }, () => migrate(store(), more)));
    expect(done.flat()).toEqual(['9999-of-this-test']);
    await store().query({ text: 'DROP TABLE migrated_once', params: [] });
    await store().query({ text: `DELETE FROM migrations WHERE name = '9999-of-this-test'`, params: [] });
    const changed = [{ name: '0001-tool-executions', text: 'SELECT 1' }];
    await expect(migrate(store(), changed)).rejects.toThrow(SchemaOutdated);
  });
}

function describeCopy(store: () => Store): void {
  const columns = ['uuid', 'int2', 'int4', 'int8', 'text', 'bool', 'bytea'] as const;
  const copy = (rows: readonly unknown[][]) => ({
    name: 'copied_copy',
    text: 'COPY copied (id, small, whole, big, words, yes, bytes) FROM STDIN (FORMAT BINARY)',
    params: columns.map((_, at) => rows.map((row) => row[at])),
    copy: columns,
  });
  const all = { text: 'SELECT id, small, whole, big, words, yes, bytes FROM copied ORDER BY small', params: [] };
  const ids = Array.from({ length: 9 }, () => randomUUID());
  const row = (n: number) => [ids[n], n, 0 - n, n * 2 ** 40, `"words" \\ \u{1F9FE} ${n}`, n % 2 === 0, Buffer.from([0, n, 255])];
  const read = async () => (await store().query(all)).map((found) => Object.values(found));

  test('COPY writes rows of every type, in one transaction with the other statements', async () => {
    const types = columns.map((type, at) => `${['id', 'small', 'whole', 'big', 'words', 'yes', 'bytes'][at]} ${type}`);
    await store().query({ text: `CREATE TABLE copied (${types.join(', ')}, PRIMARY KEY (id))`, params: [] });
    const insert = (n: number) => ({ name: 'copied_one', text: 'INSERT INTO copied (id, small) VALUES ($1, $2)', params: [ids[n], n] });
    const empty = [null, null, null, null, null];
    expect(await store().atomically([insert(0), copy([row(1), [ids[2], 2, ...empty]]), insert(3), copy([row(4)])])).toEqual([
      [],
      [],
      [],
      [],
    ]);
    const kept = [[ids[0], 0, ...empty], row(1), [ids[2], 2, ...empty], [ids[3], 3, ...empty], row(4)];
    expect(await read()).toEqual(kept);
    await expect(store().atomically([insert(5), copy([row(6), row(1)]), insert(7)])).rejects.toMatchObject({ sqlstate: '23505' });
    const nonsense = { text: 'SELECT 1 / (count(*) - count(*)) FROM copied', params: [] };
    await expect(store().atomically([nonsense, copy([row(6)])])).rejects.toMatchObject({ sqlstate: '22012' });
    await expect(store().atomically([copy([row(6)]), nonsense], 'background')).rejects.toMatchObject({ sqlstate: '22012' });
    expect(await read()).toEqual(kept);
    const many = Array.from({ length: 500 }, (_, n) => [randomUUID(), 100 + n, ...row(n % 9).slice(2)]);
    await store().atomically([copy(many), copy([])]);
    expect(await read()).toEqual([...kept, ...many]);
  });

  test('a COPY with a value that does not fit its type is not sent', async () => {
    const refused = store().atomically([copy([row(7), [ids[8], 40_000, ...row(8).slice(2)]])]);
    await expect(refused).rejects.toThrow(new TypeError('the value of column 2 is not of type int2'));
    await store().atomically([copy([row(8)])]);
    expect(await read()).toContainEqual(row(8));
    await store().query({ text: 'DROP TABLE copied', params: [] });
  });
}

function describeRows(store: () => Store): void {
  test('rows are restored from the log without a lease, later ends over earlier, never the reverse', async () => {
    const { approval_id: _, ...item } = claimOf();
    const row = { ...item, lane: randomUUID(), epoch: 3, state: running, end_offset: null, ended_at_s: null, resources: null };
    const ended = { ...row, state: succeeded, end_offset: 40, ended_at_s: 1_700_000_000 };
    await restore(store(), [row, ended]);
    await restore(store(), [row]);
    await restore(store(), [{ ...ended, state: in_doubt, end_offset: 39 }]);
    expect(await rowsOfKeys(store(), [row.key])).toEqual([{ ...ended, stands: null }]);
  });

  test('a running row restored from the log is an orphan, and later epochs are above its epoch', async () => {
    const { approval_id: _, ...item } = claimOf();
    const row = { ...item, lane: randomUUID(), epoch: 999_999, state: running, end_offset: null, ended_at_s: null, resources: null };
    await restore(store(), [row]);
    expect(await orphans(store(), row.lane, row.partition)).toEqual([row]);
    expect(await leaseOf(store())).toBeGreaterThan(row.epoch);
  });

  test("progress only moves forward, and a policy's snapshot is the last one saved", async () => {
    const lane = randomUUID();
    const at = (history_below: number, ends_from: number) => ({
      lane,
      partition: 3,
      topic: 'policy-decided',
      history_below,
      ends_from,
    });
    await store().query(progressStatement([at(10, 20)]));
    await store().query(progressStatement([at(9, 30)]));
    expect(await readProgress(store(), lane, 3)).toEqual([at(10, 30)]);
    expect(await readPolicySnapshot(store(), lane, 3)).toBeNull();
    for (const body of ['{"a":1}', '{"a":2}']) await savePolicySnapshot(store(), lane, 3, { body, offsets: '[5]' });
    expect(await readPolicySnapshot(store(), lane, 3)).toEqual({ body: '{"a":2}', offsets: '[5]' });
  });

  test('a snapshot of sagas is changed by what moved since, and forgotten as a whole', async () => {
    const lane = randomUUID();
    const at = (output_offset: number) => ({ lane, partition: 2, input_offset: output_offset, output_offset });
    expect(await readSagaSnapshot(store(), lane, 2)).toBeUndefined();
    const open = ['t/a', 't/b'].map((saga) => ({ saga, state: '{}' }));
    await saveSagaSnapshot(store(), { ...at(4), open, ended: [] });
    await saveSagaSnapshot(store(), { ...at(9), open: [{ saga: 't/b', state: '{"n":1}' }], ended: ['t/a'] });
    expect(await readSagaSnapshot(store(), lane, 2)).toEqual({
      input_offset: 9,
      output_offset: 9,
      open: [{ saga: 't/b', state: '{"n":1}' }],
    });
    await forgetSagaSnapshot(store(), lane, 2);
    expect(await readSagaSnapshot(store(), lane, 2)).toBeUndefined();
  });
}
