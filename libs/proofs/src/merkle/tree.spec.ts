import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_ROOT, leafHash, nodeHash } from './hashing.js';
import { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from './tree.js';
import { isConsistent, isIncluded } from './verify.js';

const leaf = (n: number) => leafHash(Buffer.from(String(n)));
const subtree: SubtreeHash = async (level, index) =>
  level === 0 ? leaf(index) : nodeHash(await subtree(level - 1, 2 * index), await subtree(level - 1, 2 * index + 1));

/** MTH as defined by RFC 9162 section 2.1.1, over the data. */
function mth(data: readonly Buffer[]): Buffer {
  if (data.length === 0) return EMPTY_ROOT;
  if (data.length === 1) return leafHash(data[0] as Buffer);
  let k = 1;
  while (k * 2 < data.length) k *= 2;
  return nodeHash(mth(data.slice(0, k)), mth(data.slice(k)));
}

const sizes = fc.integer({ min: 1, max: 300 });
const flipped = (path: readonly Buffer[], at: number, bit: number) =>
  path.map((node, n) => {
    const copy = Buffer.from(node);
    if (n === at % path.length) copy[bit % 32] = (copy[bit % 32] as number) ^ (1 << (bit % 8));
    return copy;
  });

describe('a Merkle tree as in RFC 9162', () => {
  test('has the roots that Certificate Transparency publishes for its test leaves', async () => {
    const data = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = await Promise.all(
      [1, 2, 3, 8].map((size) => {
        const leaves = data.map((hex) => leafHash(Buffer.from(hex, 'hex')));
        const of: SubtreeHash = async (level, index) =>
          level === 0 ? (leaves[index] as Buffer) : nodeHash(await of(level - 1, 2 * index), await of(level - 1, 2 * index + 1));
        return rootOf(of, size);
      }),
    );
    expect(roots.map((root) => root.toString('hex'))).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
  });

  test('has the root of the definition at every size', async () => {
    for (let size = 0; size <= 130; size++) {
      const data = Array.from({ length: size }, (_, n) => Buffer.from(String(n)));
      expect((await rootOf(subtree, size)).equals(mth(data))).toBe(true);
    }
  });

  test('proves every leaf at every size, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), fc.nat(), async (size, pick, at, bit) => {
        const index = pick % size;
        const tree = { size, root: await rootOf(subtree, size) };
        const path = await inclusionProof(subtree, index, size);
        expect(isIncluded(leaf(index), index, tree, path)).toBe(true);
        expect(isIncluded(leaf(index + 1), index, tree, path)).toBe(false);
        expect(isIncluded(leaf(index), index, tree, [...path, EMPTY_ROOT])).toBe(false);
        if (size > 1) {
          expect(isIncluded(leaf(index), index, tree, flipped(path, at, bit))).toBe(false);
          expect(isIncluded(leaf(index), index, tree, path.slice(1))).toBe(false);
          expect(isIncluded(leaf(index), (index + 1) % size, tree, path)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([0, -1, 0.5, 6, Number.NaN])('makes no proof from %d leaves to 5: it is refused and does not go on for ever', async (first) => {
    await expect(consistencyProof(subtree, first, 5)).rejects.toThrow(`there is no proof from ${first} to 5 leaves`);
  });

  test.each([-1, 0.5, 5, Number.NaN])('makes no path of leaf %d of 5', async (index) => {
    await expect(inclusionProof(subtree, index, 5)).rejects.toThrow(`a tree of 5 leaves has no leaf ${index}`);
  });

  test('proves that a larger tree only appended, and refuses any other', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.nat(), fc.nat(), async (a, b, at, bit) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const older = { size: first, root: await rootOf(subtree, first) };
        const newer = { size: second, root: await rootOf(subtree, second) };
        const path = await consistencyProof(subtree, first, second);
        expect(isConsistent(older, newer, path)).toBe(true);
        expect(isConsistent({ ...older, root: EMPTY_ROOT }, newer, path)).toBe(false);
        expect(isConsistent(older, { ...newer, root: EMPTY_ROOT }, path)).toBe(false);
        expect(isConsistent(older, newer, [...path, EMPTY_ROOT])).toBe(false);
        if (path.length > 0) expect(isConsistent(older, newer, flipped(path, at, bit))).toBe(false);
        if (path.length > 0) expect(isConsistent(older, newer, path.slice(0, -1))).toBe(false);
        if (first < second) expect(isConsistent(newer, older, path)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
