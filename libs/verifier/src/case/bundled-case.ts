import type { CaseCovered } from '@countersign/contracts';
import { base64, strictBase64 } from '../bytes/base64.js';
import { isCount } from '../bytes/count.js';
import { HASH_BYTES, type TreeHashing } from '../merkle/tree-hashing.js';
import { caseHash, caseStart } from './case-hash.js';

/** A record of a case: its place in the records of the bundle, or its leaf hash (base64) if it is not in the bundle. */
export type CaseItem = number | string;

/** What one entry added to the case, in the order of its leaf. */
export interface BundledStep {
  entry: number;
  cut: number;
  records: CaseItem[];
}

/** The records of a case up to its newest leaf. Everything in it follows from the hash in that leaf. */
export interface ProvenCase {
  case_id: string;
  /** The entry and cut up to which every record of the case is accounted for. */
  entry: number;
  cut: number;
  /** Number of records up to there. */
  records: number;
  /** Number of them that are not in the bundle. */
  outside: number;
  /** The cut that covered a record first, by its index in the bundle. A record that is not here has no proven cut. */
  cuts: ReadonlyMap<number, number>;
}

/** Recomputes the hash of a case. `leaves`: the leaf hashes of the bundle's records. Returns what it proves, or why it proves nothing. */
export function provenCase(
  hashing: TreeHashing,
  { meta: { tenant_id }, case_id, entry, cut, records, added, hash }: CaseCovered,
  steps: readonly BundledStep[],
  leaves: readonly Uint8Array[],
): ProvenCase | string {
  const cuts = new Map<number, number>();
  let found = 0;
  let outside = 0;
  let at = caseStart(hashing, tenant_id, case_id);
  let before: BundledStep | undefined;
  for (const step of steps) {
    // A text would have the same hash as its number, and be in another order.
    if (!isCount(step.entry) || !isCount(step.cut)) return 'the entries of the case are not numbers';
    if (before && (step.entry <= before.entry || step.cut < before.cut)) return 'the entries of the case are not in order';
    at = caseHash(
      hashing,
      at,
      step,
      step.records.map((item) => leafOf(item, leaves)),
    );
    found += step.records.length;
    for (const item of step.records) {
      if (typeof item !== 'number') outside++;
      else if (!cuts.has(item)) cuts.set(item, step.cut);
    }
    before = step;
  }
  if (base64(at) !== hash || found !== records) return `the records of the bundle are not those that the leaf of case ${case_id} covers`;
  if (before?.entry !== entry || before.cut !== cut || before.records.length !== added)
    return `the last entry of case ${case_id} is not that of its leaf`;
  return { case_id, entry, cut, records, outside, cuts };
}

/** @throws RangeError if it is neither a record of the bundle nor a hash */
function leafOf(item: CaseItem, leaves: readonly Uint8Array[]): Uint8Array {
  const leaf = typeof item === 'number' ? leaves[item] : strictBase64(item);
  if (leaf?.length !== HASH_BYTES) throw new RangeError('not a record of a case');
  return leaf;
}
