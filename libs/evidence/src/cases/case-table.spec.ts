import { expect, test } from 'vitest';
import { CaseTable, caseKey } from './case-table.js';

test('keeps the newest leaf of each case of each tenant, however many there are', () => {
  const table = new CaseTable();
  for (const tenant of ['a', 'b']) for (let n = 0; n < 5000; n++) table.set(caseKey(tenant, `c-${n}`), n * (tenant === 'a' ? 1 : 7));
  table.set(caseKey('a', 'c-3'), 0);
  expect([table.get(caseKey('a', 'c-3')), table.get(caseKey('b', 'c-3')), table.get(caseKey('a', 'c-4999'))]).toEqual([0, 21, 4999]);
  expect(table.get(caseKey('c', 'c-3'))).toBeUndefined();
});
