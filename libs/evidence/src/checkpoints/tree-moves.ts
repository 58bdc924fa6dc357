import { consistencyProof, type HeadsLog, headName, type SubtreeHash, subtreesOf, type TreeHead } from '@countersign/proofs';
import type { Tiles } from '../trees/tiles.js';
import { type CheckpointRecord, headOf } from './checkpoint-store.js';

/** The heads of a stored checkpoint that differ from those of the previous entry. */
export function movedIn({ heads }: CheckpointRecord, before: HeadsLog): TreeHead[] {
  return heads.map(headOf).filter((head) => {
    const known = before.head(head);
    return known?.size !== head.size || !known.root.equals(head.root);
  });
}

/** The trees that are missing from a full checkpoint. */
export function missingFrom({ full, heads }: CheckpointRecord, before: HeadsLog): TreeHead[] {
  if (!full) return [];
  const kept = new Set(heads.map((head) => headName(headOf(head))));
  return before.all.filter((head) => !kept.has(headName(head)));
}

/** Computes consistency proofs from tiles; reads each tile once. */
export class MoveProofs {
  private readonly trees = new Map<string, SubtreeHash>();

  constructor(private readonly tiles: Tiles) {}

  /** The proof that a tree with this head only appended to the earlier one. @throws if tiles are missing */
  async path(before: TreeHead | undefined, after: TreeHead): Promise<Buffer[]> {
    if (!before || before.size === 0 || before.size >= after.size) return [];
    return consistencyProof(this.subtreesOf(headName(after)), before.size, after.size);
  }

  private subtreesOf(name: string): SubtreeHash {
    const known = this.trees.get(name) ?? subtreesOf((level, index) => this.tiles.read(name, level, index));
    this.trees.set(name, known);
    return known;
  }
}
