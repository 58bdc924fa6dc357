import type { LogBatch } from '@countersign/event-log';
import { keptLeafHash } from '@countersign/event-log/kept-leaf';
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
  rootOf,
  subtreesOf,
  type TreeHead,
  type TreeMove,
  type TreePlace,
} from '@countersign/proofs';
import { BrokenRecord } from './broken-record.js';
import type { Tiles } from './tiles.js';

/** The tree of one partition. Takes its records as they become durable. */
export class CoveredTree {
  private pending: Buffer[] = [];
  /** Size up to which the rehashed tree matches what was signed. */
  private seen = 0;
  private isOpened = false;
  /** The head of the empty tree. */
  private readonly none: TreeHead;

  private constructor(
    { topic, partition, generation }: TreePlace & Pick<TreeHead, 'generation'>,
    private tree: GrowingTree,
    /** Signed heads that the rehash has not reached yet, smallest first: lost tiles are hashed again from the log. */
    private readonly signed: TreeHead[],
  ) {
    this.none = { topic, partition, size: 0, root: EMPTY_ROOT, ...(generation ? { generation } : {}) };
  }

  static empty(topic: string, partition: number): CoveredTree {
    return new CoveredTree({ topic, partition }, new GrowingTree(), []);
  }

  /** A new generation that is not signed yet: its first move is signed even without records. */
  static opened(place: TreePlace, generation: Generation): CoveredTree {
    const tree = new CoveredTree({ ...place, generation }, new GrowingTree(), []);
    tree.isOpened = true;
    return tree;
  }

  /**
   * Resumes after a checkpoint: from the tiles if they match the signed root, else by hashing from the first record. `torn`: tiles that do
   * not lead from one signed head to the next are hashed again too, and the tree must pass through these heads. `dropped`: leaf hashes of
   * dropped records, with which the tree then begins.
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

  /** @throws BrokenRecord if the stored leaf hashes differ from what was signed, or some are missing */
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

  /** Number of records in the tree, including pending ones. */
  get count(): number {
    return this.tree.size + this.pending.length;
  }

  /** The required offset of the next record. */
  get next(): number {
    return baseOf(this.none) + this.count;
  }

  /** True if the tree is smaller than what was signed: no checkpoint may be signed now. */
  get isBehind(): boolean {
    return this.signed.length > 0;
  }

  /** Takes records that are not in the tree yet, and returns the hashes of their leaves. @throws BrokenRecord if one is missing. */
  take(records: LogBatch['records']): Buffer[] {
    const before = this.pending.length;
    for (const record of records) {
      if (record.offset < this.next) continue;
      if (record.offset > this.next) throw this.broken(`has no record ${this.next}`, this.next, record.offset - 1);
      this.pending.push(keptLeafHash(record));
    }
    return this.pending.slice(before);
  }

  /** Writes pending hashes to tiles. @throws BrokenRecord if the tree differs from the signed one. */
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

  /** The growth since the last signature, with its consistency proof; undefined if the tree did not grow. */
  async move(): Promise<TreeMove | undefined> {
    const { tree } = this;
    if (tree.size === tree.markedSize && !this.isOpened) return undefined;
    return { head: { ...this.none, size: tree.size, root: await tree.root() }, path: await tree.sinceMark() };
  }

  /** Notes that the last `move` is signed. */
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
