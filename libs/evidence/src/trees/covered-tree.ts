import type { LogBatch } from '@countersign/event-log';
import { GrowingTree, HASH_BYTES, recordHash, rootOf, subtreesOf, type TreeHead } from '@countersign/proofs';
import { treeName } from '../checkpoints/checkpoint-store.js';
import { BrokenRecord } from './broken-record.js';
import type { Tiles } from './tiles.js';

/** The tree of one partition: takes its records as they become durable; a record's index is its offset. */
export class CoveredTree {
  private pending: Buffer[] = [];

  private constructor(
    readonly topic: string,
    readonly partition: number,
    private tree: GrowingTree,
    /** What was signed of this tree and is not seen again yet: after lost tiles it is hashed anew from the log. */
    private signed: TreeHead | undefined,
  ) {}

  static empty(topic: string, partition: number): CoveredTree {
    return new CoveredTree(topic, partition, new GrowingTree(), undefined);
  }

  /** Goes on after a checkpoint: from its tiles where they have the signed root, else from the first record. */
  static async resume(signed: TreeHead, tiles: Tiles): Promise<CoveredTree> {
    const name = treeName(signed.topic, signed.partition);
    const read = (level: number, index: number) => tiles.read(name, level, index);
    const isWhole = await rootOf(subtreesOf(read), signed.size).then(
      (root) => root.equals(signed.root),
      () => false,
    );
    const tree = isWhole ? await GrowingTree.resume(signed.size, read) : new GrowingTree();
    return new CoveredTree(signed.topic, signed.partition, tree, isWhole ? undefined : signed);
  }

  /** The offset that the next record must have. */
  get next(): number {
    return this.tree.size + this.pending.length;
  }

  /** Whether it stands below what was signed: no checkpoint may be made now. */
  get isBehind(): boolean {
    return this.signed !== undefined;
  }

  /** Takes the records that it does not have. @throws BrokenRecord where one is missing. */
  take(records: LogBatch['records']): number {
    const before = this.pending.length;
    for (const record of records) {
      if (record.offset < this.next) continue;
      if (record.offset > this.next) throw new BrokenRecord(`${this.topic}/${this.partition} has no record ${this.next}`);
      this.pending.push(recordHash(record));
    }
    return this.pending.length - before;
  }

  /** Puts what it took into tiles. True where the tree grew. @throws BrokenRecord where it is not the tree that was signed. */
  async write(tiles: Tiles): Promise<boolean> {
    if (this.pending.length === 0) return false;
    const toSigned = (this.signed?.size ?? 0) - this.tree.size;
    const crosses = this.signed !== undefined && this.pending.length >= toSigned;
    const first = this.pending.splice(0, crosses ? toSigned : this.pending.length);
    await this.append(first, tiles);
    if (!crosses) return true;
    if (!(await this.tree.root()).equals((this.signed as TreeHead).root)) {
      throw new BrokenRecord(`${this.topic}/${this.partition} up to ${this.tree.size} is not what was signed`);
    }
    this.signed = undefined;
    await this.append(this.pending.splice(0), tiles);
    return true;
  }

  private async append(hashes: readonly Buffer[], tiles: Tiles): Promise<void> {
    const joined = Buffer.concat(hashes, hashes.length * HASH_BYTES);
    for (const part of this.tree.append(joined)) await tiles.append(treeName(this.topic, this.partition), part);
  }

  async head(): Promise<TreeHead> {
    return { topic: this.topic, partition: this.partition, size: this.tree.size, root: await this.tree.root() };
  }
}
