import {
  consistencyProof,
  headName,
  headProof,
  headsRoot,
  inclusionProof,
  isConsistent,
  leafAt,
  type NoteVerifier,
  openCheckpoint,
  openTrusted,
  type RecordProof,
  type RecordToCover,
  rootOf,
  type SubtreeHash,
  sortedHeads,
  spansOf,
  subtreesOf,
  type TreeHead,
  verifyUnder,
} from '@countersign/proofs';
import type { CheckpointStore, NewestCheckpoint } from './checkpoints/checkpoint-store.js';
import { CHECKPOINTS_TREE, type Tiles } from './trees/tiles.js';

export type ProofAnswer =
  | { kind: 'proof'; proof: RecordProof }
  /** No checkpoint covers the record yet: retry in a second. */
  | { kind: 'not_covered' }
  /** The stored data does not prove the record that is on the log. */
  | { kind: 'broken'; reason: string };

export type ProofsAnswer = { kind: 'proofs'; proofs: RecordProof[]; checkpoint: string } | Exclude<ProofAnswer, { kind: 'proof' }>;

const text = (path: readonly Buffer[]) => path.map((hash) => hash.toString('base64'));

/** Builds proofs from stored checkpoints and tiles. Checks each proof before it is returned. */
export class ProofReader {
  constructor(
    private readonly checkpoints: CheckpointStore,
    private readonly tiles: Tiles,
    private readonly log: NoteVerifier,
  ) {}

  /** The note of the newest checkpoint. */
  async checkpoint(): Promise<string | undefined> {
    return (await this.checkpoints.newest())?.record.note;
  }

  private subtrees(tree: string): SubtreeHash {
    return subtreesOf((level, index) => this.tiles.read(tree, level, index));
  }

  /** The proof that this record, as read from the log, is at its position. */
  async prove(record: RecordToCover): Promise<ProofAnswer> {
    const answer = await this.proveAll([record]);
    return answer.kind === 'proofs' ? { kind: 'proof', proof: answer.proofs[0] as RecordProof } : answer;
  }

  /**
   * The proofs of many records under one checkpoint; otherwise the answer for the first record without a proof. `cosigned`: the checkpoint
   * to use, with the witness lines, instead of the newest.
   */
  async proveAll(records: readonly RecordToCover[], cosigned?: { number: number; note: string }): Promise<ProofsAnswer> {
    const checkpoint = cosigned ? await this.checkpoints.at(cosigned.number) : await this.checkpoints.newest();
    if (!checkpoint) return { kind: 'not_covered' };
    const note = cosigned?.note ?? checkpoint.record.note;
    const signed = openTrusted(note, { log: this.log, witnesses: [] });
    if (typeof signed === 'string') return { kind: 'broken', reason: signed };
    const covered = new CoveredBy(checkpoint, (tree) => this.subtrees(tree));
    const proofs: RecordProof[] = [];
    for (const record of records) {
      if (!covered.has(record)) return { kind: 'not_covered' };
      const proof = await covered.proofOf(record).catch((cause: Error) => cause);
      if (proof instanceof Error) return { kind: 'broken', reason: proof.message };
      const verdict = verifyUnder(record, proof, signed);
      if (verdict.kind === 'refused') return { kind: 'broken', reason: verdict.reason };
      proofs.push({ ...proof, checkpoint: note });
    }
    return { kind: 'proofs', proofs, checkpoint: note };
  }

  /**
   * The proof that the newest checkpoint only appended to the one of this size. Undefined if there is no such checkpoint; a reason if the
   * stored data does not prove it.
   */
  async consistency(first: number): Promise<{ second: number; path: string[]; checkpoint: string } | string | undefined> {
    const newest = await this.checkpoints.newest();
    const signed = newest && openCheckpoint(newest.record.note, this.log);
    if (!newest || !signed || first < 1 || first > signed.size) return undefined;
    const note = (await this.checkpoints.at(first - 1))?.record.note;
    const older = note === undefined ? undefined : openCheckpoint(note, this.log);
    if (older?.size !== first) return `the checkpoint of size ${first} is missing or differs from the signed one`;
    const path = await consistencyProof(this.subtrees(CHECKPOINTS_TREE), first, signed.size).catch((cause: Error) => cause);
    if (path instanceof Error) return path.message;
    if (!isConsistent(older, signed, path)) return `the tiles of the checkpoints do not lead from size ${first} to ${signed.size}`;
    return { second: signed.size, path: text(path), checkpoint: newest.record.note };
  }

  /**
   * The incomplete parts of the stored evidence: each growing tree whose tiles do not match what the newest checkpoint signed. Checked at a
   * start before serving; proofs of such trees are refused until the projector has hashed them again.
   */
  async faults(): Promise<string[]> {
    const newest = await this.checkpoints.newest();
    if (!newest) return [];
    const { number, note } = newest.record;
    const signed = openCheckpoint(note, this.log);
    if (!signed) return [`checkpoint ${number} is not signed by ${this.log.vkey}: was the master key changed?`];
    const trees = [{ name: CHECKPOINTS_TREE, size: signed.size, root: signed.root }];
    for (const { head, isFrozen } of spansOf(newest.heads.values()))
      if (!isFrozen) trees.push({ name: headName(head), size: head.size, root: head.root });
    const damaged = await Promise.all(
      trees.map(async (tree) => ((await this.isWhole(tree)) ? [] : [`the tiles of ${tree.name} up to ${tree.size}`])),
    );
    const { time_ms, trees: count, heads_root } = newest.record;
    const own = await headsRoot(sortedHeads(newest.heads.values()));
    const isOfHeads = own.toString('base64') === heads_root && count === newest.heads.size;
    return [...damaged.flat(), ...(isOfHeads ? [] : [`the heads of checkpoint ${number} of ${new Date(time_ms).toISOString()}`])];
  }

  private async isWhole({ name, size, root }: { name: string; size: number; root: Buffer }): Promise<boolean> {
    const found = await rootOf(this.subtrees(name), size).catch(() => undefined);
    return found?.equals(root) === true;
  }
}

/** The data covered by one checkpoint: heads sorted once, each tile read once. */
class CoveredBy {
  private readonly sorted: TreeHead[];
  private readonly trees = new Map<string, SubtreeHash>();
  private entryPath: Promise<string[]> | undefined;

  constructor(
    private readonly checkpoint: NewestCheckpoint,
    private readonly subtrees: (tree: string) => SubtreeHash,
  ) {
    this.sorted = sortedHeads(checkpoint.heads.values());
  }

  has(record: RecordToCover): boolean {
    return leafAt(this.sorted, record) !== undefined;
  }

  /** Only for a covered record. @throws if tiles are missing. */
  async proofOf(record: RecordToCover): Promise<Omit<RecordProof, 'checkpoint'>> {
    const leaf = leafAt(this.sorted, record);
    if (!leaf) throw new RangeError('the checkpoint does not cover the record');
    const { size, generation } = leaf.head;
    const index = this.sorted.indexOf(leaf.head);
    const path = text(await inclusionProof(this.treeOf(headName(leaf.head)), leaf.index, size));
    const { number, time_ms, trees, cut } = this.checkpoint.record;
    this.entryPath ??= inclusionProof(this.subtrees(CHECKPOINTS_TREE), number, number + 1).then(text);
    const entryPath = await this.entryPath;
    return {
      tree: { size, path, ...(generation ? { generation } : {}) },
      head: { index, path: text(await headProof(this.sorted, index)) },
      entry: { number, time_ms, trees, path: entryPath, ...(cut ? { cut } : {}) },
    };
  }

  private treeOf(name: string): SubtreeHash {
    const known = this.trees.get(name) ?? this.subtrees(name);
    this.trees.set(name, known);
    return known;
  }
}
