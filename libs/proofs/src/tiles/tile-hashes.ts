import { HASH_BYTES } from '../merkle/hashing.js';
import type { SubtreeHash } from '../merkle/tree.js';
import { TileNodes } from './tile-nodes.js';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-path.js';

/** Reads the stored hashes of a tile, 32 bytes each. */
export type ReadTile = (level: number, index: number) => Promise<Buffer>;

/** A tree is unreadable: a tile is shorter than the size of the tree requires. */
export class TileFault extends Error {}

/** The tile with the hash of a complete subtree, and the position of the node inside that tile. */
export function placeInTile(level: number, index: number): { level: number; index: number; row: number; at: number } {
  const row = level % TILE_HEIGHT;
  const a_tile = TILE_WIDTH >> row;
  return { level: Math.floor(level / TILE_HEIGHT), index: Math.floor(index / a_tile), row, at: index % a_tile };
}

function nodesOf(tile: Buffer): TileNodes {
  const nodes = new TileNodes();
  nodes.append(tile.subarray(0, Math.min(TILE_WIDTH, Math.floor(tile.length / HASH_BYTES)) * HASH_BYTES));
  return nodes;
}

/** Computes subtree hashes from tiles; reads and hashes each tile once. @throws TileFault from the returned function. */
export function subtreesOf(readTile: ReadTile): SubtreeHash {
  const read = new Map<string, Promise<TileNodes>>();
  const tileAt = (level: number, index: number) => {
    const name = `${level}/${index}`;
    const known = read.get(name) ?? readTile(level, index).then(nodesOf);
    read.set(name, known);
    return known;
  };
  return async (level, index) => {
    const place = placeInTile(level, index);
    const node = (await tileAt(place.level, place.index)).node(place.row, place.at);
    if (!node) throw new TileFault(`tile ${place.level}/${place.index} is too short`);
    return node;
  };
}
