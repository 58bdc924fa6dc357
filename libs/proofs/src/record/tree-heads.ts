import { Frontier } from '../merkle/frontier.js';
import { HASH_BYTES, leafHash } from '../merkle/hashing.js';
import { inclusionProof } from '../merkle/tree.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { type ReadTile, subtreesOf } from '../tiles/tile-hashes.js';

/** Identifies a tree that follows a frozen one; see decisions/0029. */
export interface Generation {
  /** 2 for the first tree after the original one of a partition, then 3, and so on. */
  number: number;
  /** Log offset of leaf 0. */
  base_offset: number;
  /** event_id of the `damage_accepted` that allowed it to be opened. */
  decision: string;
}

const DECISION_ID = /^[0-9a-f-]{36}$/;

/** @throws RangeError if the input is not a generation */
export function readGeneration({ number, base_offset, decision }: Generation): Generation {
  const isCount = Number.isSafeInteger(number) && number >= 2 && Number.isSafeInteger(base_offset) && base_offset >= 0;
  if (!isCount || typeof decision !== 'string' || !DECISION_ID.test(decision)) throw new RangeError('not a generation of a tree');
  return { number, base_offset, decision };
}

/** The tree of one partition, as far as a checkpoint covers it. */
export interface TreeHead {
  topic: string;
  partition: number;
  size: number;
  root: Buffer;
  /** Absent for the original tree, whose leaf 0 is the record at offset 0. */
  generation?: Generation;
}

export type TreePlace = Pick<TreeHead, 'topic' | 'partition'>;

/** 1 for the original tree of a partition. */
export const generationNumber = ({ generation }: Pick<TreeHead, 'generation'>): number => generation?.number ?? 1;

/** Log offset of leaf 0. */
export const baseOf = ({ generation }: Pick<TreeHead, 'generation'>): number => generation?.base_offset ?? 0;

/** The offset after the last record of the tree. */
export const endOf = (head: Pick<TreeHead, 'generation' | 'size'>): number => baseOf(head) + head.size;

/** `topic/partition`, and `topic/partition#2` and so on for later generations. */
export function headName({ topic, partition, generation }: TreePlace & Pick<TreeHead, 'generation'>): string {
  return generation ? `${topic}/${partition}#${generation.number}` : `${topic}/${partition}`;
}

/** Heads in hashing order: by the bytes of the topic, then by partition, then by generation. */
export function sortedHeads(heads: Iterable<TreeHead>): TreeHead[] {
  return [...heads].sort(
    (a, b) =>
      Buffer.compare(Buffer.from(a.topic), Buffer.from(b.topic)) || a.partition - b.partition || generationNumber(a) - generationNumber(b),
  );
}

/**
 * The hash of a head's leaf. Lines: `countersign/tree/v1`, topic, partition, size, and root in base64. For a later generation:
 * `countersign/tree/v2`, topic, partition, number, base offset, decision, size and root.
 */
export function headHash({ topic, partition, size, root, generation }: TreeHead): Buffer {
  const grown = `${size}\n${root.toString('base64')}\n`;
  if (!generation) return leafHash(Buffer.from(`countersign/tree/v1\n${topic}\n${partition}\n${grown}`));
  const { number, base_offset, decision } = generation;
  return leafHash(Buffer.from(`countersign/tree/v2\n${topic}\n${partition}\n${number}\n${base_offset}\n${decision}\n${grown}`));
}

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

/** One entry of the tree that checkpoints sign: the state of all partitions' trees when checkpoint `number` was made. */
export interface CheckpointEntry {
  /** 0 for the first entry; the first checkpoint that covers it has size number + 1. */
  number: number;
  time_ms: number;
  trees: number;
  heads_root: Buffer;
}

/** Hash of an entry's leaf. Five lines: tag, number, time in ms, number of trees, and the root of the heads in base64. */
export function entryHash({ number, time_ms, trees, heads_root }: CheckpointEntry): Buffer {
  if (heads_root.length !== HASH_BYTES) throw new RangeError('a root has 32 bytes');
  return leafHash(Buffer.from(`countersign/checkpoint/v1\n${number}\n${time_ms}\n${trees}\n${heads_root.toString('base64')}\n`));
}
