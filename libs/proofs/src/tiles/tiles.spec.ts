import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HASH_BYTES, leafHash } from '../merkle/hashing.js';
import { inclusionProof, rootOf } from '../merkle/tree.js';
import { isConsistent, isIncluded } from '../merkle/verify.js';
import { GrowingTree } from './growing-tree.js';
import { subtreesOf } from './tile-hashes.js';
import { parseTilePath, tilePath } from './tile-path.js';

const leaf = (n: number) => leafHash(Buffer.from(String(n)));
const leaves = (from: number, count: number) => Buffer.concat(Array.from({ length: count }, (_, n) => leaf(from + n)));

class Files {
  readonly tiles = new Map<string, Buffer>();

  append(level: number, index: number, width: number, hashes: Buffer): void {
    const before = this.tiles.get(`${level}/${index}`) ?? Buffer.alloc(0);
    expect(before.length).toBe(width * HASH_BYTES);
    this.tiles.set(`${level}/${index}`, Buffer.concat([before, hashes]));
  }

  readonly read = async (level: number, index: number) => this.tiles.get(`${level}/${index}`) ?? Buffer.alloc(0);
}

test('tile paths follow C2SP tlog-tiles', () => {
  expect(tilePath({ level: 0, index: 1234067, width: 256 })).toBe('0/x001/x234/067');
  expect(tilePath({ level: 2, index: 5, width: 17 })).toBe('2/005.p/17');
  fc.assert(
    fc.property(fc.nat(40), fc.nat(2 ** 30), fc.integer({ min: 1, max: 256 }), (level, index, width) => {
      expect(parseTilePath(tilePath({ level, index, width }))).toEqual({ level, index, width });
    }),
  );
  for (const bad of ['', '0/1', '0/001.p/256', '0/001.p/0', '0/x000/001', '0/../001', '-1/001', '0/001/']) {
    expect(parseTilePath(bad)).toBeUndefined();
  }
});

describe('a growing tree', () => {
  test('has the root of its leaves however they were appended, also after it is resumed from its tiles', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 }), fc.nat(), async (parts, pick) => {
        const files = new Files();
        let tree = new GrowingTree();
        for (const count of parts) {
          for (const { level, index, width, hashes } of tree.append(leaves(tree.size, count))) files.append(level, index, width, hashes);
          tree = await GrowingTree.resume(tree.size, files.read);
        }
        const { size } = tree;
        const root = await rootOf(subtreesOf(files.read), size);
        expect((await tree.root()).equals(root)).toBe(true);
        const index = pick % size;
        const path = await inclusionProof(subtreesOf(files.read), index, size);
        expect(isIncluded(leaf(index), index, { size, root }, path)).toBe(true);
        const direct = new GrowingTree();
        direct.append(leaves(0, size));
        expect((await direct.root()).equals(root)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test('proves from memory that it only grew since its mark, for any number of appends, also after it is resumed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (parts, isResumed) => {
          const files = new Files();
          let tree = new GrowingTree();
          for (const count of parts) {
            const before = { size: tree.markedSize, root: await rootOf(subtreesOf(files.read), tree.markedSize) };
            for (const { level, index, width, hashes } of tree.append(leaves(tree.size, count))) files.append(level, index, width, hashes);
            const after = { size: tree.size, root: await tree.root() };
            expect(isConsistent(before, after, await tree.sinceMark())).toBe(true);
            if (isResumed) tree = await GrowingTree.resume(tree.size, files.read);
            else tree.mark();
            expect(await tree.sinceMark()).toEqual([]);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('is not resumed from tiles that are too short', async () => {
    await expect(GrowingTree.resume(3, async () => leaf(0))).rejects.toThrow('too short');
  });

  test('with 70,000 leaves fills tiles of three levels', async () => {
    const files = new Files();
    const tree = new GrowingTree();
    for (const { level, index, width, hashes } of tree.append(leaves(0, 70_000))) files.append(level, index, width, hashes);
    expect(files.tiles.get('1/0')?.length).toBe(256 * HASH_BYTES);
    expect(files.tiles.get('2/0')?.length).toBe(HASH_BYTES);
    expect((await rootOf(subtreesOf(files.read), 65_536)).equals(files.tiles.get('2/0') as Buffer)).toBe(true);
    expect((await tree.root()).equals(await rootOf(subtreesOf(files.read), 70_000))).toBe(true);
  });
});
