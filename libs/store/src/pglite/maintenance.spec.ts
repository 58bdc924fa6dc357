import { expect, test } from 'vitest';
import { claimStatement } from '../executions/claim.js';
import { foldEndsStatements } from '../executions/fold-ends.js';
import { Maintenance, writesOf } from './maintenance.js';

const end = { key: 'k', attempt: 1, call_uuid: 'c', state: 2, end_offset: 1, ended_at_s: 1, resources: 'none' } as const;

const INSERT = 'INSERT INTO calls AS c (a) SELECT 1 ON CONFLICT (a) DO UPDATE SET a = 2';

test('the written tables are derived from the statement text, including its CTEs; reads and locks are no writes', () => {
  expect(writesOf(INSERT)).toEqual([{ table: 'calls', kind: 'insert' }]);
  expect(writesOf('DELETE FROM cases; UPDATE ONLY calls SET a = 1')).toEqual([
    { table: 'cases', kind: 'delete' },
    { table: 'calls', kind: 'update' },
  ]);
  expect(writesOf('SELECT 1 FROM calls FOR UPDATE SKIP LOCKED')).toEqual([]);
  expect(
    writesOf(
      foldEndsStatements([end])
        .map(({ text }) => text)
        .join(';'),
    ),
  ).toEqual([{ table: 'tool_executions', kind: 'update' }]);
  const approved = { approval_id: 'a' } as Parameters<typeof claimStatement>[1][number];
  expect(writesOf(claimStatement(1, [approved]).text).map(({ table }) => table)).toEqual(['approval_uses', 'tool_executions']);
});

test('a table is analysed after 2,000 changed rows, then after as many changes as it has rows', () => {
  const maintenance = new Maintenance();
  maintenance.note(INSERT, 'INSERT 0 1999');
  expect(maintenance.due()).toEqual([]);
  maintenance.note(INSERT, 'INSERT 0 1');
  expect(maintenance.due()).toEqual(['ANALYZE calls']);
  maintenance.note(INSERT, 'INSERT 0 98000');
  expect(maintenance.due()).toEqual(['ANALYZE calls']);
  maintenance.note('UPDATE calls SET a = 1', 'UPDATE 9999');
  maintenance.note(INSERT, 'INSERT 0 90000');
  expect(maintenance.due()).toEqual([]);
  maintenance.note(INSERT, 'INSERT 0 1');
  expect(maintenance.due()).toEqual(['ANALYZE calls']);
});

test('rows of a COPY do not count as changes, since the caller of COPY analyses them, but count as rows of the table', () => {
  const maintenance = new Maintenance();
  maintenance.note('COPY calls (a) FROM STDIN (FORMAT BINARY)', 'COPY 100000');
  maintenance.note('UPDATE calls SET a = 1', 'UPDATE 19999');
  maintenance.note(INSERT, 'INSERT 0 80000');
  expect(maintenance.due()).toEqual([]);
  maintenance.note(INSERT, 'INSERT 0 1');
  expect(maintenance.due()).toEqual(['ANALYZE calls']);
});

test('20,000 updated or deleted rows make a VACUUM due, which also analyses', () => {
  const maintenance = new Maintenance();
  maintenance.note('UPDATE calls SET a = 1', 'UPDATE 15000');
  expect(maintenance.due()).toEqual(['ANALYZE calls']);
  maintenance.note('DELETE FROM calls', 'DELETE 5000');
  expect(maintenance.due()).toEqual(['VACUUM (ANALYZE, TRUNCATE FALSE) calls']);
  expect(maintenance.due()).toEqual([]);
});

test('statements that changed nothing are not counted', () => {
  const maintenance = new Maintenance();
  maintenance.note(INSERT, 'INSERT 0 0');
  maintenance.note('SELECT 1', 'SELECT 9000');
  maintenance.note('CREATE TABLE x (a int)', 'CREATE TABLE');
  expect(maintenance.due()).toEqual([]);
});
