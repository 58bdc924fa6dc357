import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { isInfrastructureFault } from '@countersign/contracts';
import {
  consistencyProof,
  GrowingTree,
  HASH_BYTES,
  headName,
  isConsistent,
  spansOf,
  subtreesOf,
  TILE_WIDTH,
  type TreeHead,
  type TreePlace,
} from '@countersign/proofs';
import { BrokenRecord } from '../trees/broken-record.js';
import type { Tiles } from '../trees/tiles.js';
import type { DroppedLeaves } from './dropped-leaves.js';

/** The leaves of a tree: `first`, whose record is still on the log, and `below`, the limit of those to drop. */
export interface LeafRange {
  first: number;
  below: number;
}

/** A tile of leaf hashes costs about a quarter of a millisecond: yield after this many tiles. */
const TILES_A_TURN = 8;

/** Leaf hashes of a tree from its first record up to an offset, tile by tile. @throws BrokenRecord if some are missing */
export async function* leavesBelow(read: (index: number) => Promise<Buffer>, below: number): AsyncGenerator<Buffer> {
  for (let index = 0; index * TILE_WIDTH < below; index++) {
    const bytes = Math.min(TILE_WIDTH, below - index * TILE_WIDTH) * HASH_BYTES;
    const hashes = await read(index);
    if (hashes.length < bytes) throw new BrokenRecord(`leaf hashes of records ${index * TILE_WIDTH} and later are missing`);
    yield hashes.subarray(0, bytes);
    if (index % TILES_A_TURN === TILES_A_TURN - 1) await yieldToOthers();
  }
}

/** True if the leaf hashes of all records below an offset are stored. Does not check their values. */
export async function hasLeaves(dropped: DroppedLeaves, tree: string, below: number): Promise<boolean> {
  if (below === 0) return true;
  const last = Math.floor((below - 1) / TILE_WIDTH);
  return (await dropped.read(tree, last)).length >= (below - last * TILE_WIDTH) * HASH_BYTES;
}

/**
 * Stores the leaf hashes of all records below an offset permanently, after checking them against the signed head. For records that were
 * already dropped it uses the stored hashes. Repeatable. Returns a fault; then nothing may be dropped.
 */
export async function keepLeaves(head: TreeHead, range: LeafRange, tiles: Tiles, dropped: DroppedLeaves): Promise<string | undefined> {
  const name = headName(head);
  const { first, below } = range;
  if (below === 0) return undefined;
  const known = (index: number) => sourceOf(name, first, index, tiles, dropped);
  const wrong = await strangeLeaves(head, below, known, tiles);
  if (wrong !== undefined) return `the tiles of ${name}: ${wrong}`;
  let index = 0;
  for await (const hashes of leavesBelow(known, below)) {
    const kept = await dropped.read(name, index);
    if (kept.length < hashes.length || !kept.subarray(0, hashes.length).equals(hashes)) await dropped.keep(name, index, hashes);
    index++;
  }
  await dropped.sync(name);
  // Check the written copy: from now on it is the evidence.
  const copied = await strangeLeaves(head, below, (index) => dropped.read(name, index), tiles);
  return copied === undefined ? undefined : `the copied tiles of ${name}: ${copied}`;
}

/** Records of one partition to drop: from `first`, the first on the log, up to `below`. */
export interface GoingRecords extends TreePlace {
  first: number;
  below: number;
}

/** The same for the records of a partition, in all trees that contain them. */
export async function keepLeavesOf(
  heads: Iterable<TreeHead>,
  { topic, partition, first, below }: GoingRecords,
  tiles: Tiles,
  dropped: DroppedLeaves,
): Promise<string | undefined> {
  for (const span of spansOf(heads)) {
    const { head, isFrozen } = span;
    if (head.topic !== topic || head.partition !== partition || below <= span.first) continue;
    const leaves = { first: Math.max(0, first - span.first), below: Math.min(below, span.end) - span.first };
    const wrong = await keepLeaves(head, leaves, tiles, dropped);
    // A frozen tree cannot restore lost tiles: a recorded decision already accepted its records as unproven.
    if (wrong !== undefined && !isFrozen) return wrong;
  }
  return undefined;
}

/** A tile of leaf hashes: stored hashes for dropped records, and the tile of the tree for the rest. */
async function sourceOf(name: string, first: number, index: number, tiles: Tiles, dropped: DroppedLeaves): Promise<Buffer> {
  const dropped_bytes = Math.max(0, first - index * TILE_WIDTH) * HASH_BYTES;
  if (dropped_bytes === 0) return tiles.read(name, 0, index);
  const kept = await dropped.read(name, index);
  if (dropped_bytes >= TILE_WIDTH * HASH_BYTES) return kept;
  if (kept.length < dropped_bytes) return kept;
  return Buffer.concat([kept.subarray(0, dropped_bytes), (await tiles.read(name, 0, index)).subarray(dropped_bytes)]);
}

/** Why these leaf hashes are not a prefix of the tree with this head; undefined if they are. */
async function strangeLeaves(
  head: TreeHead,
  below: number,
  read: (index: number) => Promise<Buffer>,
  tiles: Tiles,
): Promise<string | undefined> {
  const name = headName(head);
  const tree = new GrowingTree();
  try {
    for await (const hashes of leavesBelow(read, below)) tree.append(hashes);
    const subtrees = subtreesOf((level, index) => tiles.read(name, level, index));
    const path = below === head.size ? [] : await consistencyProof(subtrees, below, head.size);
    if (isConsistent({ size: below, root: await tree.root() }, head, path)) return undefined;
  } catch (cause) {
    if (isInfrastructureFault(cause)) throw cause;
    return (cause as Error).message;
  }
  return `the ${below} records to drop do not lead to the signed head of ${head.size} records`;
}
