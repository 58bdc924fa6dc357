import { Frontier } from '../merkle/frontier.js';
import { HASH_BYTES, leafHash } from '../merkle/hashing.js';
import { inclusionProof } from '../merkle/tree.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { type ReadTile, subtreesOf } from '../tiles/tile-hashes.js';

/** The tree of one partition of one topic, as far as a checkpoint covers it. */
export interface TreeHead {
  topic: string;
  partition: number;
  size: number;
  root: Buffer;
}

/** Heads in the order in which they are hashed: by the bytes of the topic, then by partition. */
export function sortedHeads(heads: Iterable<TreeHead>): TreeHead[] {
  return [...heads].sort((a, b) => Buffer.compare(Buffer.from(a.topic), Buffer.from(b.topic)) || a.partition - b.partition);
}

/** The leaf of a head: four lines, `topic`, partition, size and root in base64. */
export function headHash({ topic, partition, size, root }: TreeHead): Buffer {
  return leafHash(Buffer.from(`countersign/tree/v1\n${topic}\n${partition}\n${size}\n${root.toString('base64')}\n`));
}

function tilesOf(sorted: readonly TreeHead[]): ReadTile {
  const tiles = new Map<string, Buffer[]>();
  for (const { level, index, hashes } of new GrowingTree().append(Buffer.concat(sorted.map(headHash)))) {
    const parts = tiles.get(`${level}/${index}`) ?? [];
    tiles.set(`${level}/${index}`, [...parts, hashes]);
  }
  return async (level, index) => Buffer.concat(tiles.get(`${level}/${index}`) ?? []);
}

/** Root over all heads, which a checkpoint's entry carries. `sorted` as from sortedHeads. */
export async function headsRoot(sorted: readonly TreeHead[]): Promise<Buffer> {
  const tree = Frontier.empty();
  for (const head of sorted) tree.append(headHash(head));
  return tree.root();
}

/** Audit path of the head at this index of the sorted heads. */
export async function headProof(sorted: readonly TreeHead[], index: number): Promise<Buffer[]> {
  return inclusionProof(subtreesOf(tilesOf(sorted)), index, sorted.length);
}

/** One entry of the tree that checkpoints sign: what all partitions' trees were when checkpoint `number` was made. */
export interface CheckpointEntry {
  /** 0 for the first; the checkpoint that covers it first has size number + 1. */
  number: number;
  time_ms: number;
  trees: number;
  heads_root: Buffer;
}

/** Hash of an entry's leaf: five lines, tag, number, time in ms, number of trees and the heads' root in base64. */
export function entryHash({ number, time_ms, trees, heads_root }: CheckpointEntry): Buffer {
  if (heads_root.length !== HASH_BYTES) throw new RangeError('a root has 32 bytes');
  return leafHash(Buffer.from(`countersign/checkpoint/v1\n${number}\n${time_ms}\n${trees}\n${heads_root.toString('base64')}\n`));
}
