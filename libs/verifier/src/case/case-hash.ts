import { utf8 } from '../bytes/bytes.js';
import { HASH_BYTES, type TreeHashing } from '../merkle/tree-hashing.js';

/** The topic of the leaves of cases. */
export const CASES_TREE = 'cases';

/** One entry's part in the chain of a case. */
export interface CaseStep {
  /** Number of the checkpoint entry. */
  entry: number;
  /** Number of its cut. */
  cut: number;
}

/** The hash of a case before its first record. */
export function caseStart<H extends Uint8Array>(hashing: TreeHashing<H>, tenant_id: string, case_id: string): H {
  return hashing.leaf(utf8(`countersign/case/v1\n${tenant_id}\n${case_id}`));
}

/**
 * The hash of a case after an entry. What is hashed, as a leaf: the lines `countersign/case-step/v1`, entry, cut and number of records, then
 * the hash before and the leaf hashes of the records, 32 bytes each.
 */
export function caseHash<H extends Uint8Array>(
  hashing: TreeHashing<H>,
  before: Uint8Array,
  { entry, cut }: CaseStep,
  leaves: readonly Uint8Array[],
): H {
  const head = utf8(`countersign/case-step/v1\n${entry}\n${cut}\n${leaves.length}\n`);
  const data = new Uint8Array(head.length + HASH_BYTES * (leaves.length + 1));
  data.set(head);
  for (const [at, hash] of [before, ...leaves].entries()) {
    if (hash.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
    data.set(hash, head.length + at * HASH_BYTES);
  }
  return hashing.leaf(data);
}
