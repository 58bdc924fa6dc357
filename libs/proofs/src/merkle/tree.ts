import { EMPTY_ROOT, nodeHash } from './hashing.js';

/**
 * Returns the hash of the complete subtree over the leaves [index * 2^level, (index + 1) * 2^level). Called only for subtrees that are
 * complete.
 */
export type SubtreeHash = (level: number, index: number) => Promise<Buffer>;

/** Exponent of the largest power of two smaller than n (n > 1): k in RFC 9162. */
function splitLevel(n: number): number {
  let level = Math.floor(Math.log2(n));
  // Math.log2 rounds for sizes near 2^49 and above.
  while (2 ** level >= n) level--;
  while (2 ** (level + 1) < n) level++;
  return level;
}

async function rangeHash(subtree: SubtreeHash, from: number, to: number): Promise<Buffer> {
  const size = to - from;
  if (size === 1) return subtree(0, from);
  const level = splitLevel(size);
  const half = 2 ** level;
  if (half * 2 === size) return subtree(level + 1, from / size);
  const left = await subtree(level, from / half);
  return nodeHash(left, await rangeHash(subtree, from + half, to));
}

/** Proofs check their limits by this: outside of them, a range would be halved without end. */
const isWithin = (least: number, value: number, most: number): boolean =>
  Number.isSafeInteger(value) && Number.isSafeInteger(most) && least <= value && value <= most;

/** Root of the first `size` leaves (RFC 9162 section 2.1.1). */
export async function rootOf(subtree: SubtreeHash, size: number): Promise<Buffer> {
  return size === 0 ? EMPTY_ROOT : rangeHash(subtree, 0, size);
}

/**
 * Audit path of leaf `index` in the tree of the first `size` leaves, lowest first (RFC 9162 section 2.1.3.1).
 * @throws RangeError unless 0 <= index < size
 */
export async function inclusionProof(subtree: SubtreeHash, index: number, size: number): Promise<Buffer[]> {
  if (!isWithin(0, index, size - 1)) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const path: Buffer[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + 2 ** splitLevel(to - from);
    if (index < middle) {
      path.push(await rangeHash(subtree, middle, to));
      to = middle;
    } else {
      path.push(await rangeHash(subtree, from, middle));
      from = middle;
    }
  }
  return path.reverse();
}

/**
 * Proof that the tree of `first` leaves is a prefix of that of `second` (RFC 9162 section 2.1.4.1).
 * @throws RangeError unless 0 < first <= second
 */
export async function consistencyProof(subtree: SubtreeHash, first: number, second: number): Promise<Buffer[]> {
  if (!isWithin(1, first, second)) throw new RangeError(`there is no proof from ${first} to ${second} leaves`);
  const path: Buffer[] = [];
  let from = 0;
  let to = second;
  let isOld = true;
  while (first !== to) {
    const middle = from + 2 ** splitLevel(to - from);
    if (first <= middle) {
      path.push(await rangeHash(subtree, middle, to));
      to = middle;
    } else {
      path.push(await rangeHash(subtree, from, middle));
      from = middle;
      isOld = false;
    }
  }
  if (!isOld) path.push(await rangeHash(subtree, from, to));
  return path.reverse();
}
