import type { LogBatch } from '@countersign/event-log';
import {
  baseOf,
  EMPTY_ROOT,
  type Generation,
  GrowingTree,
  generationNumber,
  HASH_BYTES,
  headName,
  offsetOf,
  type ReadTile,
  recordHash,
  rootOf,
  subtreesOf,
  type TreeHead,
  type TreeMove,
  type TreePlace,
} from '@countersign/proofs';
import { BrokenRecord } from './broken-record.js';
import type { Tiles } from './tiles.js';

/** The tree of one partition: takes its records as they become durable. */
export class CoveredTree {
  private pending: Buffer[] = [];
  /** Up to this size the rehashed tree equals what was signed. */
  private seen = 0;
  private isOpened = false;
  /** Its head before its first record. */
  private readonly none: TreeHead;

  private constructor(
    { topic, partition, generation }: TreePlace & Pick<TreeHead, 'generation'>,
    private tree: GrowingTree,
    /** Signed heads of this tree that the rehash has not reached yet, smallest first: lost tiles are hashed again from the log. */
    private readonly signed: TreeHead[],
  ) {
    this.none = { topic, partition, size: 0, root: EMPTY_ROOT, ...(generation ? { generation } : {}) };
  }

  static empty(topic: string, partition: number): CoveredTree {
    return new CoveredTree({ topic, partition }, new GrowingTree(), []);
  }

  /** A generation that is not signed yet: its first move is signed also where it has no records. */
  static opened(place: TreePlace, generation: Generation): CoveredTree {
    const tree = new CoveredTree({ ...place, generation }, new GrowingTree(), []);
    tree.isOpened = true;
    return tree;
  }

  /**
   * Goes on after a checkpoint: from its tiles where they have the signed root, else from the first record. `torn`: tiles
   * that do not lead from one signed head to the next are hashed again too, and the tree must pass through these heads.
   * `dropped`: leaf hashes of the records that are no longer on the log, with which it then begins.
   */
  static async resume(
    signed: TreeHead,
    tiles: Tiles,
    torn?: readonly TreeHead[],
    dropped?: () => AsyncIterable<Buffer>,
  ): Promise<CoveredTree> {
    const name = headName(signed);
    const read = (level: number, index: number) => tiles.read(name, level, index);
    if (!torn && (await isWhole(read, signed))) return new CoveredTree(signed, await GrowingTree.resume(signed.size, read), []);
    const passed = (torn ?? []).filter(({ size }) => size < signed.size);
    const tree = new CoveredTree(signed, new GrowingTree(), [...passed, signed]);
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

  get topic(): string {
    return this.none.topic;
  }

  get partition(): number {
    return this.none.partition;
  }

  /** Records that it has. */
  get count(): number {
    return this.tree.size + this.pending.length;
  }

  /** The offset that the next record must have. */
  get next(): number {
    return baseOf(this.none) + this.count;
  }

  /** Whether it is smaller than what was signed: no checkpoint may be made now. */
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
    for (let next = this.signed[0]; next && this.count >= next.size; next = this.signed[0]) {
      await this.append(this.pending.splice(0, next.size - this.tree.size), tiles);
      if (!(await this.tree.root()).equals(next.root)) {
        throw this.broken(`up to ${next.size} is not what was signed`, offsetOf(next, this.seen), offsetOf(next, next.size - 1));
      }
      this.signed.shift();
      this.seen = next.size;
      this.tree.mark();
    }
    await this.append(this.pending.splice(0), tiles);
  }

  private broken(what: string, first_offset: number, last_offset: number): BrokenRecord {
    const { topic, partition } = this;
    const generation = generationNumber(this.none);
    return new BrokenRecord(`${headName(this.none)} ${what}`, { topic, partition, first_offset, last_offset, generation });
  }

  private async append(hashes: readonly Buffer[], tiles: Tiles): Promise<void> {
    if (hashes.length === 0) return;
    const joined = Buffer.concat(hashes, hashes.length * HASH_BYTES);
    for (const part of this.tree.append(joined)) await tiles.append(headName(this.none), part);
  }

  /** How it grew since it was signed last, with the proof that it did nothing else; undefined where it did not. */
  async move(): Promise<TreeMove | undefined> {
    const { tree } = this;
    if (tree.size === tree.markedSize && !this.isOpened) return undefined;
    return { head: { ...this.none, size: tree.size, root: await tree.root() }, path: await tree.sinceMark() };
  }

  /** Takes note that what `move` answered is signed. */
  signedNow(): void {
    this.isOpened = false;
    this.tree.mark();
  }
}

function isWhole(read: ReadTile, { size, root }: TreeHead): Promise<boolean> {
  return rootOf(subtreesOf(read), size).then(
    (found) => found.equals(root),
    () => false,
  );
}
