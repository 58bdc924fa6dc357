import { HASH_BYTES, type TreeHashing } from '../merkle/tree-hashing.js';

const encoder = new TextEncoder();
const START_BYTES = 1024;
/** A larger buffer is let go after use. */
const KEPT_BYTES_MAX = 256 * 1024;

/** The topic of the leaves of cases. */
export const CASES_TREE = 'cases';

/** One entry's part in the chain of a case. */
export interface CaseStep {
  /** Number of the checkpoint entry. */
  entry: number;
  /** Number of its cut. */
  cut: number;
}

/** What is hashed, after the 0x00 prefix of a leaf; reused, because every function here is synchronous. */
let scratch = new Uint8Array(START_BYTES);

/** Begins with a text, and returns the end; at least `more_bytes` of space follow. */
function begin(text: string, more_bytes: number): number {
  const bytes_max = 1 + 3 * text.length + more_bytes;
  if (scratch.length < bytes_max) scratch = new Uint8Array(2 * bytes_max);
  scratch[0] = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A text that is not ASCII is encoded as a whole.
    if (code > 127) return 1 + (encoder.encodeInto(text, scratch.subarray(1)).written as number);
    scratch[1 + at] = code;
  }
  return 1 + text.length;
}

/** The hash of a case before its first record. */
export function caseStart<H extends Uint8Array>(hashing: TreeHashing<H>, tenant_id: string, case_id: string): H {
  const end = begin(`countersign/case/v1\n${tenant_id}\n${case_id}`, 0);
  return hashed(hashing, end);
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
  const start = begin(`countersign/case-step/v1\n${entry}\n${cut}\n${leaves.length}\n`, HASH_BYTES * (leaves.length + 1));
  let end = putHash(before, start);
  for (const leaf of leaves) end = putHash(leaf, end);
  return hashed(hashing, end);
}

function hashed<H extends Uint8Array>(hashing: TreeHashing<H>, end: number): H {
  const hash = hashing.prefixedLeaf(scratch.subarray(0, end));
  if (scratch.length > KEPT_BYTES_MAX) scratch = new Uint8Array(START_BYTES);
  return hash;
}

function putHash(hash: Uint8Array, at: number): number {
  if (hash.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
  scratch.set(hash, at);
  return at + HASH_BYTES;
}
