import { HASH_BYTES, nodeHashes } from '../merkle/hashing.js';
import type { SubtreeHash } from '../merkle/tree.js';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-path.js';

/** The first hashes of a tile, as many as there are, 32 bytes each. */
export type ReadTile = (level: number, index: number) => Promise<Buffer>;

/** Why a tree cannot be read: a tile is shorter than the tree's size says. */
class TileFault extends Error {}

/** Root of 2^n hashes, one after the other. */
export function foldHashes(hashes: Buffer): Buffer {
  let row = hashes;
  while (row.length > HASH_BYTES) row = nodeHashes(row);
  return row;
}

/** Subtree hashes out of tiles; each tile is read once. @throws TileFault from the function that it answers. */
export function subtreesOf(readTile: ReadTile): SubtreeHash {
  const read = new Map<string, Promise<Buffer>>();
  const tileAt = (level: number, index: number) => {
    const name = `${level}/${index}`;
    const known = read.get(name) ?? readTile(level, index);
    read.set(name, known);
    return known;
  };
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_HEIGHT);
    const count = 2 ** (level % TILE_HEIGHT);
    const first = index * count;
    const tile = await tileAt(tileLevel, Math.floor(first / TILE_WIDTH));
    const at = (first % TILE_WIDTH) * HASH_BYTES;
    const part = tile.subarray(at, at + count * HASH_BYTES);
    if (part.length !== count * HASH_BYTES) throw new TileFault(`tile ${tileLevel}/${Math.floor(first / TILE_WIDTH)} is too short`);
    return Buffer.from(foldHashes(part));
  };
}
