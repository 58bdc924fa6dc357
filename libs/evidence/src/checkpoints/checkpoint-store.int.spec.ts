import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CheckpointFolder } from './checkpoint-folder.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, type StoredHead } from './checkpoint-store.js';
import { CheckpointTable } from './checkpoint-table.js';

let dir: string;
let sql: PgliteStore;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'checkpoints-'));
  sql = await PgliteStore.open({ memory: true });
});
afterAll(async () => {
  await sql.close();
  await rm(dir, { recursive: true, force: true });
});

const root = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const record = (number: number, heads: StoredHead[]): CheckpointRecord => ({
  number,
  time_ms: number,
  trees: 1,
  heads_root: root(0),
  full: number % FULL_EVERY === 0,
  heads,
  note: `note ${number}`,
});
const sizes = async (store: CheckpointStore) => {
  const newest = await store.newest();
  return newest && [newest.record.number, Object.fromEntries([...newest.heads].map(([name, { size }]) => [name, size]))];
};

describe.each([
  ['in a folder', () => new CheckpointFolder(dir)],
  ['in a table', () => new CheckpointTable(sql)],
] as [string, () => CheckpointStore][])('checkpoints kept %s', (_, open) => {
  test('are numbered consecutively with one writer each, and their heads accumulate, also for another reader and after a restart', async () => {
    const store = open();
    const reader = open();
    expect(await store.newest()).toBeUndefined();
    expect(await store.append(record(3, []))).toBe('taken');
    expect(
      await store.append(
        record(0, [
          ['a', 0, 1, root(1)],
          ['b', 1, 5, root(2)],
        ]),
      ),
    ).toBe('kept');
    expect(await sizes(reader)).toEqual([0, { 'a/0': 1, 'b/1': 5 }]);
    for (let number = 1; number < FULL_EVERY; number++)
      expect(await store.append(record(number, [['a', 0, number + 1, root(3)]]))).toBe('kept');
    expect(await store.append(record(FULL_EVERY - 1, []))).toBe('taken');
    expect(await sizes(reader)).toEqual([FULL_EVERY - 1, { 'a/0': FULL_EVERY, 'b/1': 5 }]);
    expect(await store.append(record(FULL_EVERY, [['a', 0, 2000, root(4)]]))).toBe('kept');
    expect(await store.append(record(FULL_EVERY + 1, [['c', 0, 1, root(5)]]))).toBe('kept');
    expect(await sizes(store)).toEqual([FULL_EVERY + 1, { 'a/0': 2000, 'c/0': 1 }]);
    await store.close();
    const later = open();
    expect(await sizes(later)).toEqual([FULL_EVERY + 1, { 'a/0': 2000, 'c/0': 1 }]);
    expect(await later.append(record(FULL_EVERY + 2, []))).toBe('kept');
    expect((await later.newest())?.heads.get('c/0')?.root).toEqual(Buffer.alloc(32, 5));
    await later.close();
    await reader.close();
  });
});
