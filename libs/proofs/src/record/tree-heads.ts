import * as verifier from '@countersign/verifier';
import { baseOf } from '@countersign/verifier';
import { Frontier } from '../merkle/frontier.js';
import { nodeHashing } from '../merkle/hashing.js';
import { inclusionProof } from '../merkle/tree.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { type ReadTile, subtreesOf } from '../tiles/tile-hashes.js';

export { baseOf, type Generation, headName, readGeneration, type TreePlace } from '@countersign/verifier';

/** The tree of one partition, as far as a checkpoint covers it. */
export type TreeHead = verifier.TreeHead<Buffer>;

/** One entry of the tree that checkpoints sign. */
export type CheckpointEntry = verifier.CheckpointEntry<Buffer>;

/** 1 for the original tree of a partition. */
export const generationNumber = ({ generation }: Pick<TreeHead, 'generation'>): number => generation?.number ?? 1;

/** The offset after the last record of the tree. */
export const endOf = (head: Pick<TreeHead, 'generation' | 'size'>): number => baseOf(head) + head.size;

/** Heads in hashing order: by the bytes of the topic, then by partition, then by generation. */
export function sortedHeads(heads: Iterable<TreeHead>): TreeHead[] {
  return [...heads].sort(
    (a, b) =>
      Buffer.compare(Buffer.from(a.topic), Buffer.from(b.topic)) || a.partition - b.partition || generationNumber(a) - generationNumber(b),
  );
}

/** The hash of a head's leaf. */
export const headHash = (head: TreeHead): Buffer => verifier.headHash(nodeHashing, head);

function tilesOf(sorted: readonly TreeHead[]): ReadTile {
  const tiles = new Map<string, Buffer[]>();
  for (const { level, index, hashes } of new GrowingTree().append(Buffer.concat(sorted.map(headHash)))) {
    const parts = tiles.get(`${level}/${index}`) ?? [];
    tiles.set(`${level}/${index}`, [...parts, hashes]);
  }
  return async (level, index) => Buffer.concat(tiles.get(`${level}/${index}`) ?? []);
}

/** Root over all heads, as in a checkpoint's entry. `sorted`: from sortedHeads. */
export async function headsRoot(sorted: readonly TreeHead[]): Promise<Buffer> {
  const tree = Frontier.empty();
  for (const head of sorted) tree.append(headHash(head));
  return tree.root();
}

/** Audit path of the head at this index of the sorted heads. */
export async function headProof(sorted: readonly TreeHead[], index: number): Promise<Buffer[]> {
  return inclusionProof(subtreesOf(tilesOf(sorted)), index, sorted.length);
}

/** Hash of an entry's leaf. */
export const entryHash = (entry: CheckpointEntry): Buffer => verifier.entryHash(nodeHashing, entry);
