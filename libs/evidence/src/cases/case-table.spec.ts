import { caseStart, nodeHashing } from '@countersign/proofs';
import { expect, test } from 'vitest';
import { CaseTable, caseKey } from './case-table.js';

const keyOf = (tenant_id: string, case_id: string) => caseKey(caseStart(nodeHashing, tenant_id, case_id));

test('keeps the newest leaf of each case of each tenant, however many there are', () => {
  const table = new CaseTable();
  for (const tenant of ['a', 'b']) for (let n = 0; n < 5000; n++) table.set(keyOf(tenant, `c-${n}`), n * (tenant === 'a' ? 1 : 7));
  table.set(keyOf('a', 'c-3'), 0);
  expect([table.get(keyOf('a', 'c-3')), table.get(keyOf('b', 'c-3')), table.get(keyOf('a', 'c-4999'))]).toEqual([0, 21, 4999]);
  expect(table.get(keyOf('c', 'c-3'))).toBeUndefined();
});
