import { type CaseCovered, firstMeta } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { base64 } from '../bytes/base64.js';
import { nobleCrypto } from '../crypto/noble-crypto.js';
import { treeHashing } from '../merkle/tree-hashing.js';
import { type BundledStep, provenCase } from './bundled-case.js';
import { caseHash, caseStart } from './case-hash.js';

const hashing = treeHashing(nobleCrypto.sha256);
const leaves = [0, 1, 2, 3].map((n) => new Uint8Array(32).fill(n + 1));
const steps: BundledStep[] = [
  { entry: 4, cut: 3, records: [0, 1] },
  { entry: 7, cut: 5, records: [base64(new Uint8Array(32).fill(9)), 3] },
];

/** The leaf that an honest signer writes for these steps. */
function leafOf(of: readonly BundledStep[], tenant_id = 'acme', case_id = 'c-1'): CaseCovered {
  let hash: Uint8Array = caseStart(hashing, tenant_id, case_id);
  for (const step of of) {
    const added = step.records.map((item) => (typeof item === 'number' ? (leaves[item] as Uint8Array) : new Uint8Array(32).fill(9)));
    hash = caseHash(hashing, hash, step, added);
  }
  const { entry, cut, records: last } = of.at(-1) as BundledStep;
  const records = of.reduce((sum, step) => sum + step.records.length, 0);
  const meta = firstMeta(tenant_id, 1);
  return { meta, case_id, entry, cut, added: last.length, records, hash: base64(hash), previous: null };
}

test('the records of a case add up to its leaf; each has the cut that covered it first', () => {
  const proven = provenCase(hashing, leafOf(steps), steps, leaves);
  expect(proven).toMatchObject({ case_id: 'c-1', entry: 7, cut: 5, records: 4, outside: 1 });
  expect(typeof proven === 'object' && [...proven.cuts]).toEqual([
    [0, 3],
    [1, 3],
    [3, 5],
  ]);
});

test.each([
  ['a record is left out', [{ ...steps[0], records: [0] }, steps[1]], 'are not those'],
  ['two records are swapped', [{ ...steps[0], records: [1, 0] }, steps[1]], 'are not those'],
  ['a record is added', [{ ...steps[0], records: [0, 1, 2] }, steps[1]], 'are not those'],
  [
    'a record moves to another entry',
    [
      { ...steps[0], records: [0] },
      { ...steps[1], records: [1, ...(steps[1]?.records ?? [])] },
    ],
    'not those',
  ],
  ['a cut is another', [{ ...steps[0], cut: 4 }, steps[1]], 'are not those'],
  ['an entry is another', [{ ...steps[0], entry: 5 }, steps[1]], 'are not those'],
  ['an entry is left out', [steps[1]], 'are not those'],
  ['the newest entry is left out', [steps[0]], 'are not those'],
  ['a cut is a text', [{ ...steps[0], cut: '3' }, steps[1]], 'are not numbers'],
  ['an entry is a text', [{ ...steps[0], entry: '4' }, steps[1]], 'are not numbers'],
  ['entries are swapped', [steps[1], steps[0]], 'not in order'],
] as unknown as [string, BundledStep[], string][])('%s: refused', (_, forged, reason) => {
  expect(provenCase(hashing, leafOf(steps), forged, leaves)).toContain(reason);
});

test('a leaf with a lower count, of another tenant or of another case: refused', () => {
  for (const leaf of [{ ...leafOf(steps), records: 3 }, leafOf(steps, 'other'), leafOf(steps, 'acme', 'c-2')]) {
    const own = { ...leaf, meta: firstMeta('acme', 1), case_id: 'c-1' };
    expect(provenCase(hashing, own, steps, leaves)).toContain('are not those');
  }
  expect(provenCase(hashing, { ...leafOf(steps), added: 1 }, steps, leaves)).toContain('last entry');
});

test('what is no record of the bundle and no hash is unreadable', () => {
  for (const item of [9, -1, 'x', null])
    expect(() => provenCase(hashing, leafOf(steps), [{ entry: 1, cut: 1, records: [item as number] }], leaves)).toThrow();
});
