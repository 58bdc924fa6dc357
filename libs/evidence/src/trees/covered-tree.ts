import type { LogBatch } from '@countersign/event-log';
import { GrowingTree, HASH_BYTES, type ReadTile, recordHash, rootOf, subtreesOf, type TreeHead, type TreeMove } from '@countersign/proofs';
import { BrokenRecord } from './broken-record.js';
import { type Tiles, treeName } from './tiles.js';

/** The tree of one partition: takes its records as they become durable; a record's index is its offset. */
export class CoveredTree {
  private pending: Buffer[] = [];
  /** Up to here it is what was signed, as far as it was hashed anew. */
  private seen = 0;

  private constructor(
    readonly topic: string,
    readonly partition: number,
    private tree: GrowingTree,
    /** What was signed of this tree and is not seen again yet, smallest first: after lost tiles it is hashed anew from the log. */
    private readonly signed: TreeHead[],
  ) {}

  static empty(topic: string, partition: number): CoveredTree {
    return new CoveredTree(topic, partition, new GrowingTree(), []);
  }

  /**
   * Goes on after a checkpoint: from its tiles where they have the signed root, else from the first record. `torn`: tiles
   * that do not lead from one signed head to the next are hashed anew too, and the tree must pass through these heads.
   * `dropped`: leaf hashes of the records that are not on the log any more, with which it then begins.
   */
  static async resume(
    signed: TreeHead,
    tiles: Tiles,
    torn?: readonly TreeHead[],
    dropped?: () => AsyncIterable<Buffer>,
  ): Promise<CoveredTree> {
    const { topic, partition } = signed;
    const name = treeName(topic, partition);
    const read = (level: number, index: number) => tiles.read(name, level, index);
    if (!torn && (await isWhole(read, signed))) {
      return new CoveredTree(topic, partition, await GrowingTree.resume(signed.size, read), []);
    }
    const passed = (torn ?? []).filter(({ size }) => size < signed.size);
    const tree = new CoveredTree(topic, partition, new GrowingTree(), [...passed, signed]);
    if (dropped) await tree.begin(dropped(), tiles);
    return tree;
  }

  /** @throws BrokenRecord where the kept leaf hashes are not what was signed, or some are missing */
  private async begin(dropped: AsyncIterable<Buffer>, tiles: Tiles): Promise<void> {
    for await (const hashes of dropped) {
      for (let at = 0; at < hashes.length; at += HASH_BYTES) this.pending.push(hashes.subarray(at, at + HASH_BYTES));
      await this.write(tiles);
    }
  }

  /** The offset that the next record must have. */
  get next(): number {
    return this.tree.size + this.pending.length;
  }

  /** Whether it stands below what was signed: no checkpoint may be made now. */
  get isBehind(): boolean {
    return this.signed.length > 0;
  }

  /** Takes the records that it does not have. @throws BrokenRecord where one is missing. */
  take(records: LogBatch['records']): number {
    const before = this.pending.length;
    for (const record of records) {
      if (record.offset < this.next) continue;
      if (record.offset > this.next) throw this.broken(`has no record ${this.next}`, this.next, record.offset - 1);
      this.pending.push(recordHash(record));
    }
    return this.pending.length - before;
  }

  /** Puts what it took into tiles. @throws BrokenRecord where it is not the tree that was signed. */
  async write(tiles: Tiles): Promise<void> {
    for (let next = this.signed[0]; next && this.tree.size + this.pending.length >= next.size; next = this.signed[0]) {
      await this.append(this.pending.splice(0, next.size - this.tree.size), tiles);
      if (!(await this.tree.root()).equals(next.root)) {
        throw this.broken(`up to ${next.size} is not what was signed`, this.seen, next.size - 1);
      }
      this.signed.shift();
      this.seen = next.size;
      this.tree.mark();
    }
    await this.append(this.pending.splice(0), tiles);
  }

  private broken(what: string, first_offset: number, last_offset: number): BrokenRecord {
    const { topic, partition } = this;
    return new BrokenRecord(`${treeName(topic, partition)} ${what}`, { topic, partition, first_offset, last_offset });
  }

  private async append(hashes: readonly Buffer[], tiles: Tiles): Promise<void> {
    if (hashes.length === 0) return;
    const joined = Buffer.concat(hashes, hashes.length * HASH_BYTES);
    for (const part of this.tree.append(joined)) await tiles.append(treeName(this.topic, this.partition), part);
  }

  /** How it grew since it was signed last, with the proof that it did nothing else; undefined where it did not. */
  async move(): Promise<TreeMove | undefined> {
    const { topic, partition, tree } = this;
    if (tree.size === tree.markedSize) return undefined;
    return { head: { topic, partition, size: tree.size, root: await tree.root() }, path: await tree.sinceMark() };
  }

  /** Takes note that what `move` answered is signed. */
  signedNow(): void {
    this.tree.mark();
  }
}

function isWhole(read: ReadTile, { size, root }: TreeHead): Promise<boolean> {
  return rootOf(subtreesOf(read), size).then(
    (found) => found.equals(root),
    () => false,
  );
}
