import type { CaseLeaf } from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing } from '@countersign/proofs';
import { expect, test } from 'vitest';
import { ExpectedLeaves } from './expected-leaves.js';

const of = { tenant_id: 'default', case_id: 'c' };
const recordLeaf = Buffer.alloc(32, 7);
const hashAfter = (start: Buffer, entry: number) => caseHash(nodeHashing, start, { entry, cut: entry }, [recordLeaf]);
const first = hashAfter(caseStart(nodeHashing, of.tenant_id, of.case_id), 1);
const second = hashAfter(first, 2);

const leaf = (entry: number, hash: Buffer, offset: number): CaseLeaf =>
  ({
    ...of,
    entry,
    cut: entry,
    added: 1,
    records: entry,
    previous: entry === 1 ? null : 10,
    hash: hash.toString('base64'),
    offset,
  }) as never;

function monitored(): ExpectedLeaves {
  const leaves = new ExpectedLeaves();
  for (const number of [1, 2])
    leaves.covered({ number, cut: number, time_ms: 0 }, [{ ...of, records: [{ leaf: recordLeaf } as never] }], false);
  expect([leaves.leaf(leaf(1, first, 10)), leaves.leaf(leaf(2, second, 11))]).toEqual([undefined, undefined]);
  return new ExpectedLeaves(JSON.parse(JSON.stringify(leaves.stored)));
}

test('the copy of a leaf that a replaced signer appends after the next leaf is no alert, also after a restart', () => {
  expect(monitored().leaf(leaf(1, first, 12))).toBeUndefined();
});

test('another leaf for an earlier checkpoint is one', () => {
  expect(monitored().leaf(leaf(1, second, 12))).toContain('counts records that the checkpoint does not add');
});
