import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENTRY_BYTES_MAX, JOURNAL_BYTES_MAX, Journal } from './journal.js';
import type { Entry } from './ledger-state.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-journal-'));
  file = path.join(folder, 'ledger.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (id: string, note = ''): Entry => ({
  at_ms: 1,
  key: id,
  kind: 'supplier',
  id,
  record: { status: 'active', reference: '', fields: { note } },
});
const ids = async (journal: Journal) => [...(await journal.current()).of('supplier').keys()];

async function appended(...entries: Entry[]): Promise<Journal> {
  const journal = new Journal(file, {});
  for (const each of entries) {
    await journal.current();
    await journal.append(each);
  }
  return journal;
}

test('an entry is read again by another process', async () => {
  const journal = await appended(entry('a'));
  const other = new Journal(file, {});
  expect(await ids(other)).toEqual(['a']);
  await journal.append(entry('b'));
  expect(await ids(other)).toEqual(['a', 'b']);
});

test('the line that a crash cut is no entry, and the next write takes its place', async () => {
  await appended(entry('a'), entry('b'));
  truncateSync(file, statSync(file).size - 10);
  const journal = new Journal(file, {});
  expect(await ids(journal)).toEqual(['a']);
  await journal.append(entry('c'));
  expect(await ids(new Journal(file, {}))).toEqual(['a', 'c']);
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});

test('a file that was replaced is read anew', async () => {
  const journal = await appended(entry('a'), entry('b'));
  rmSync(file);
  expect(await ids(journal)).toEqual([]);
  writeFileSync(file, `${JSON.stringify(entry('c'))}\n`);
  expect(await ids(journal)).toEqual(['c']);
});

test('a damaged line stops reads and writes, and says where', async () => {
  await appended(entry('a'));
  appendFileSync(file, '{"half\n');
  await expect(new Journal(file, {}).current()).rejects.toMatchObject({
    message: expect.stringContaining('behind byte 0'),
    more: { effect: 'none' },
  });
});

test('an entry and a journal have a size that they do not exceed, and nothing of what is refused stays', async () => {
  const journal = await appended(entry('a'));
  await expect(journal.append(entry('b', 'x'.repeat(ENTRY_BYTES_MAX)))).rejects.toMatchObject({
    more: { details: { reason: 'ledger_full' } },
  });
  writeFileSync(file, `${JSON.stringify(entry('big', 'x'.repeat(JOURNAL_BYTES_MAX - 1_000)))}\n`);
  const large = new Journal(file, {});
  await large.current();
  await expect(large.append(entry('c', 'x'.repeat(2_000)))).rejects.toMatchObject({ more: { effect: 'none' } });
  expect(await ids(new Journal(file, {}))).toEqual(['big']);
});
