import { type Cut, prefixedRecordLeaf, type RecordPaths, type RecordToCover } from '@countersign/verifier';
import { HeadsLog } from '../heads/heads-log.js';
import { type WireMove, wireHead, wireMove } from '../heads/served-entries.js';
import { nodeHash } from '../merkle/hashing.js';
import { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import type { NoteSigner } from '../note/note-key.js';
import { recordHash } from '../record/record-leaf.js';
import { entryHash, headHash, headProof, headsRoot, type TreeHead } from '../record/tree-heads.js';

/** A tree of a vector log with the hashes of its complete subtrees, lowest level first. */
export interface VectorTree {
  topic: string;
  partition: number;
  records: readonly RecordToCover[];
  levels: Buffer[][];
  subtree: SubtreeHash;
}

/** An entry of a vector log. `sizes`: how many records of each tree it covers; a tree without any is not in it. */
export interface VectorEntry {
  time_ms: number;
  cut?: Cut;
  sizes: readonly number[];
}

export const text = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
export const texts = (hashes: readonly Buffer[]): string[] => hashes.map(text);

function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]];
  for (let below = levels[0] as Buffer[]; below.length > 1; below = levels.at(-1) as Buffer[]) {
    const pairs = Array.from({ length: Math.floor(below.length / 2) }, (_, at) => below.slice(2 * at, 2 * at + 2) as [Buffer, Buffer]);
    levels.push(pairs.map(([left, right]) => nodeHash(left, right)));
  }
  return levels;
}

const subtreesIn =
  (levels: readonly (readonly Buffer[])[]): SubtreeHash =>
  async (level, index) =>
    levels[level]?.[index] as Buffer;

export function vectorTree(topic: string, partition: number, records: readonly RecordToCover[]): VectorTree {
  const levels = levelsOf(records.map(recordHash));
  return { topic, partition, records, levels, subtree: subtreesIn(levels) };
}

/** A record with its leaf in hex and the hash of it. */
export function recordVector({ value, ...record }: RecordToCover) {
  const leaf = Buffer.from(prefixedRecordLeaf({ ...record, value })).subarray(1);
  return { ...record, value: text(value), leaf: leaf.toString('hex'), hash: text(recordHash({ ...record, value })) };
}

export const treeVector = ({ topic, partition, levels }: VectorTree) => ({ topic, partition, levels: levels.map(texts) });

async function headsAt(trees: readonly VectorTree[], sizes: readonly number[]): Promise<TreeHead[]> {
  const heads = trees.map(async ({ topic, partition, subtree }, at) => {
    const size = sizes[at] as number;
    return { topic, partition, size, root: size === 0 ? Buffer.alloc(0) : await rootOf(subtree, size) };
  });
  return (await Promise.all(heads)).filter(({ size }) => size > 0);
}

/** A log of some trees, whose topics are sorted, and the entries that cover them. */
export class VectorEntries {
  constructor(
    private readonly trees: readonly VectorTree[],
    private readonly entries: readonly VectorEntry[],
    private readonly signer: NoteSigner,
  ) {}

  /** Each entry with the trees that moved, all heads, and the hashes over them. */
  shown() {
    return Promise.all(this.entries.map((_, number) => this.entry(number)));
  }

  private async entry(number: number) {
    const { time_ms, cut, sizes } = this.entries[number] as VectorEntry;
    const heads = await headsAt(this.trees, sizes);
    const heads_root = await headsRoot(heads);
    return {
      ...{ number, time_ms, ...(cut ? { cut } : {}) },
      moved: await this.moves(number),
      heads: heads.map((head) => ({ head: wireHead(head), hash: text(headHash(head)) })),
      heads_root: text(heads_root),
      hash: text(entryHash({ number, time_ms, trees: heads.length, heads_root, ...(cut ? { cut } : {}) })),
    };
  }

  private async moves(number: number): Promise<WireMove[]> {
    const moves: WireMove[] = [];
    for (const head of await headsAt(this.trees, (this.entries[number] as VectorEntry).sizes)) {
      const at = this.trees.findIndex(({ topic }) => topic === head.topic);
      const before = this.entries[number - 1]?.sizes[at] ?? 0;
      const { subtree } = this.trees[at] as VectorTree;
      if (before < head.size) moves.push(wireMove(head, before === 0 ? [] : await consistencyProof(subtree, before, head.size)));
    }
    return moves;
  }

  /** The note of each checkpoint, signed by what the heads of all entries add up to. */
  async notes(): Promise<{ size: number; root: string; note: string }[]> {
    const log = HeadsLog.empty();
    const notes = [];
    for (const { time_ms, cut, sizes } of this.entries) {
      log.appendHeads(time_ms, await headsAt(this.trees, sizes), cut);
      const checkpoint = { size: log.size, root: log.root() };
      notes.push({ size: log.size, root: text(log.root()), note: signCheckpoint(checkpoint, this.signer) });
    }
    return notes;
  }

  /** The tree of entries, the note of each checkpoint, and the consistency proofs from each to the last. */
  async checkpoints() {
    const levels = await this.levels();
    const last = this.entries.length;
    const consistency: Record<string, string[]> = {};
    for (let size = 1; size < last; size++)
      consistency[`${size} to ${last}`] = texts(await consistencyProof(subtreesIn(levels), size, last));
    return { levels: levels.map(texts), notes: await this.notes(), consistency };
  }

  /** The paths of a record under the last checkpoint. */
  async paths({ topic, offset }: Pick<RecordToCover, 'topic' | 'offset'>): Promise<RecordPaths> {
    const number = this.entries.length - 1;
    const { time_ms, cut, sizes } = this.entries[number] as VectorEntry;
    const heads = await headsAt(this.trees, sizes);
    const index = heads.findIndex((head) => head.topic === topic);
    const { size } = heads[index] as TreeHead;
    const { subtree } = this.trees.find((tree) => tree.topic === topic) as VectorTree;
    const path = texts(await inclusionProof(subtreesIn(await this.levels()), number, number + 1));
    return {
      tree: { size, path: texts(await inclusionProof(subtree, offset, size)) },
      head: { index, path: texts(await headProof(heads, index)) },
      entry: { number, time_ms, trees: heads.length, path, ...(cut ? { cut } : {}) },
    };
  }

  private async levels(): Promise<Buffer[][]> {
    return levelsOf((await this.shown()).map(({ hash }) => Buffer.from(hash, 'base64')));
  }
}
