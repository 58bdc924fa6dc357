import { consistencyProof, type HeadsLog, type SubtreeHash, subtreesOf, type TreeHead } from '@countersign/proofs';
import { type Tiles, treeName } from '../trees/tiles.js';
import type { CheckpointRecord } from './checkpoint-store.js';

const headOf = ([topic, partition, size, root]: CheckpointRecord['heads'][number]): TreeHead => ({
  topic,
  partition,
  size,
  root: Buffer.from(root, 'base64'),
});

/** The heads of a kept checkpoint that are not those of the entry before. */
export function movedIn({ heads }: CheckpointRecord, before: HeadsLog): TreeHead[] {
  return heads.map(headOf).filter((head) => {
    const known = before.head(head);
    return known?.size !== head.size || !known.root.equals(head.root);
  });
}

/** The trees that a checkpoint with all heads does not have any more. */
export function goneFrom({ full, heads }: CheckpointRecord, before: HeadsLog): TreeHead[] {
  if (!full) return [];
  const kept = new Set(heads.map(([topic, partition]) => treeName(topic, partition)));
  return before.all.filter(({ topic, partition }) => !kept.has(treeName(topic, partition)));
}

/** Consistency proofs out of tiles, each of which is read once. */
export class MoveProofs {
  private readonly trees = new Map<string, SubtreeHash>();

  constructor(private readonly tiles: Tiles) {}

  /** The proof that a tree of this head only appended to the one before. @throws where tiles are missing */
  async path(before: TreeHead | undefined, after: TreeHead): Promise<Buffer[]> {
    if (!before || before.size === 0 || before.size >= after.size) return [];
    return consistencyProof(this.subtreesOf(treeName(after.topic, after.partition)), before.size, after.size);
  }

  private subtreesOf(name: string): SubtreeHash {
    const known = this.trees.get(name) ?? subtreesOf((level, index) => this.tiles.read(name, level, index));
    this.trees.set(name, known);
    return known;
  }
}
