import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HASH_BYTES, leafHash } from '../merkle/hashing.js';
import { GrowingTree } from './growing-tree.js';
import { ProvenTiles } from './proven-tiles.js';

const leaf = (n: number) => leafHash(Buffer.from(String(n)));
const leaves = (from: number, count: number) => Buffer.concat(Array.from({ length: count }, (_, n) => leaf(from + n)));

/** The tiles of a tree with this many leaves, and its head. */
async function treeOf(size: number) {
  const tiles = new Map<string, Buffer>();
  const tree = new GrowingTree();
  for (const { level, index, hashes } of tree.append(leaves(0, size))) {
    const name = `${level}/${index}`;
    tiles.set(name, Buffer.concat([tiles.get(name) ?? Buffer.alloc(0), hashes]));
  }
  const read = async (level: number, index: number) => tiles.get(`${level}/${index}`) ?? Buffer.alloc(0);
  return { tiles, read, head: { size, root: await tree.root() } };
}

const sizes = fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.constantFrom(255, 256, 257, 512, 65_536, 66_000));

describe('tiles of a signed tree', () => {
  test('are all returned if they match its head', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const { read, head } = await treeOf(size);
        const proven = ProvenTiles.of(head, read);
        for (let index = 0; index * 256 < size; index++) {
          const width = Math.min(256, size - index * 256);
          expect((await proven.tile(0, index))?.equals(leaves(index * 256, width))).toBe(true);
          expect(await proven.hasLeaves(index, leaves(index * 256, width))).toBe(true);
        }
        expect(await proven.tile(0, Math.ceil(size / 256))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  test('are not returned if one byte differs; right leaves can be told from wrong ones without the tile', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), async (size, pick) => {
        const { tiles, read, head } = await treeOf(size);
        const offset = pick % size;
        const index = Math.floor(offset / 256);
        const tile = tiles.get(`0/${index}`) as Buffer;
        const right = Buffer.from(tile);
        tile.writeUInt8(tile.readUInt8((offset % 256) * HASH_BYTES) ^ 1, (offset % 256) * HASH_BYTES);
        const wrong = Buffer.from(tile);
        const isEdge = right.length < 256 * HASH_BYTES;
        expect(await ProvenTiles.of(head, read).tile(0, index)).toBeUndefined();
        expect(await ProvenTiles.of(head, read).hasLeaves(index, wrong)).toBe(isEdge ? undefined : false);
        const proven = ProvenTiles.of(head, read);
        expect(await proven.hasLeaves(index, right)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test('stay proven under a later head if complete, and prove new ones', async () => {
    const before = await treeOf(700);
    const after = await treeOf(1000);
    const proven = ProvenTiles.of(before.head, before.read);
    expect(await proven.tile(0, 1)).toBeDefined();
    const later = ProvenTiles.of(before.head, after.read).under(after.head);
    expect((await later.tile(0, 2))?.equals(leaves(512, 256))).toBe(true);
    expect((await later.tile(0, 3))?.equals(leaves(768, 232))).toBe(true);
  });

  test('with a torn tile above the leaves: the leaves below it are not judged', async () => {
    const { tiles, read, head } = await treeOf(1000);
    tiles.set('1/0', Buffer.alloc(3 * HASH_BYTES));
    const proven = ProvenTiles.of(head, read);
    expect(await proven.tile(0, 1)).toBeUndefined();
    expect(await proven.hasLeaves(1, leaves(256, 256))).toBeUndefined();
  });
});
