import {
  consistencyProof,
  entryHash,
  headProof,
  headsRoot,
  inclusionProof,
  type NoteVerifier,
  openCheckpoint,
  type ReadTile,
  type RecordProof,
  type RecordToCover,
  sortedHeads,
  subtreesOf,
  verifyRecord,
} from '@countersign/proofs';
import { type CheckpointStore, type NewestCheckpoint, treeName } from './checkpoints/checkpoint-store.js';
import { CHECKPOINTS_TREE, type TileFolder } from './trees/tile-folder.js';

export type ProofAnswer =
  | { kind: 'proof'; proof: RecordProof }
  /** No checkpoint covers the record yet: ask again in a second. */
  | { kind: 'not_covered' }
  /** What is stored does not prove the record as the log has it now. */
  | { kind: 'broken'; reason: string };

export type ProofsAnswer = { kind: 'proofs'; proofs: RecordProof[]; checkpoint: string } | Exclude<ProofAnswer, { kind: 'proof' }>;

const text = (path: readonly Buffer[]) => path.map((hash) => hash.toString('base64'));

/** Proofs out of stored checkpoints and tiles. Each is checked before it is given. */
export class ProofReader {
  constructor(
    private readonly checkpoints: CheckpointStore,
    private readonly tiles: TileFolder,
    private readonly log: NoteVerifier,
  ) {}

  /** The note of the newest checkpoint. */
  async checkpoint(): Promise<string | undefined> {
    return (await this.checkpoints.newest())?.record.note;
  }

  private subtrees(tree: string) {
    const read: ReadTile = (level, index) => this.tiles.read(tree, level, index);
    return subtreesOf(read);
  }

  /** The proof that this record, as read from the log, stands at its place. */
  async prove(record: RecordToCover): Promise<ProofAnswer> {
    return this.proveBy(record, await this.checkpoints.newest());
  }

  /**
   * The proofs of many records by one checkpoint; the answer to the first that has none, else. `cosigned`: by this one,
   * with the witnesses' lines under it, instead of the newest.
   */
  async proveAll(records: readonly RecordToCover[], cosigned?: { number: number; note: string }): Promise<ProofsAnswer> {
    const newest = cosigned ? await this.checkpoints.at(cosigned.number) : await this.checkpoints.newest();
    if (newest && cosigned) newest.record = { ...newest.record, note: cosigned.note };
    const proofs: RecordProof[] = [];
    for (const record of records) {
      const answer = await this.proveBy(record, newest);
      if (answer.kind !== 'proof') return answer;
      proofs.push(answer.proof);
    }
    return newest ? { kind: 'proofs', proofs, checkpoint: newest.record.note } : { kind: 'not_covered' };
  }

  private async proveBy(record: RecordToCover, newest: NewestCheckpoint | undefined): Promise<ProofAnswer> {
    const head = newest?.heads.get(treeName(record.topic, record.partition));
    if (!newest || !head || record.offset >= head.size) return { kind: 'not_covered' };
    const proof = await this.proofOf(record, newest).catch((cause: Error) => cause);
    if (proof instanceof Error) return { kind: 'broken', reason: proof.message };
    const verdict = verifyRecord(record, proof, { log: this.log, witnesses: [] });
    return verdict.kind === 'proven' ? { kind: 'proof', proof } : { kind: 'broken', reason: verdict.reason };
  }

  private async proofOf({ topic, partition, offset }: RecordToCover, { record, heads }: NewestCheckpoint): Promise<RecordProof> {
    const sorted = sortedHeads(heads.values());
    const index = sorted.findIndex((head) => head.topic === topic && head.partition === partition);
    const { size } = sorted[index] as { size: number };
    const { number, time_ms, trees, note } = record;
    return {
      tree: { size, path: text(await inclusionProof(this.subtrees(treeName(topic, partition)), offset, size)) },
      head: { index, path: text(await headProof(sorted, index)) },
      entry: { number, time_ms, trees, path: text(await inclusionProof(this.subtrees(CHECKPOINTS_TREE), number, number + 1)) },
      checkpoint: note,
    };
  }

  /** The proof that the newest checkpoint only appended to the one of this size; undefined where there is no such. */
  async consistency(first: number): Promise<{ second: number; path: string[]; checkpoint: string } | undefined> {
    const newest = await this.checkpoints.newest();
    const signed = newest && openCheckpoint(newest.record.note, this.log);
    if (!newest || !signed || first < 1 || first > signed.size) return undefined;
    const path = text(await consistencyProof(this.subtrees(CHECKPOINTS_TREE), first, signed.size));
    return { second: signed.size, path, checkpoint: newest.record.note };
  }

  /** Whether the newest checkpoint is the one of these heads: what a restart asks before it serves. */
  async isWhole(): Promise<boolean> {
    const newest = await this.checkpoints.newest();
    if (!newest) return true;
    const { number, time_ms, trees } = newest.record;
    const heads_root = await headsRoot(sortedHeads(newest.heads.values()));
    const leaf = entryHash({ number, time_ms, trees, heads_root });
    return (await this.subtrees(CHECKPOINTS_TREE)(0, number)).equals(leaf) && openCheckpoint(newest.record.note, this.log) !== undefined;
  }
}
