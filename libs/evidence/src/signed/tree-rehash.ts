import type { LogRecord } from '@countersign/event-log';
import {
  baseOf,
  endOf,
  HASH_BYTES,
  headName,
  leafIndex,
  recordHash,
  TILE_WIDTH,
  type TileAppend,
  type TreeHead,
} from '@countersign/proofs';
import { leavesBelow } from '../drops/keep-leaves.js';
import { BrokenRecord } from '../trees/broken-record.js';
import { CoveredTree } from '../trees/covered-tree.js';
import type { Tiles } from '../trees/tiles.js';
import { addRange, type OffsetRange } from './offset-ranges.js';
import type { JudgedLog } from './record-judge.js';

const PAGE_RECORDS = 500;

/** Collects the complete tiles above the leaves in memory: 1/256 of the leaf hashes. */
class UpperTiles implements Tiles {
  private readonly parts = new Map<string, TileAppend[]>();

  async append(_tree: string, part: TileAppend): Promise<void> {
    if (part.level === 0) return;
    const name = `${part.level}/${part.index}`;
    this.parts.set(name, [...(this.parts.get(name) ?? []), part]);
  }

  async read(): Promise<Buffer> {
    return Buffer.alloc(0);
  }

  *whole(): Generator<TileAppend> {
    for (const [{ level, index }, hashes] of [...this.parts.values()].map((parts) => [parts[0] as TileAppend, joined(parts)] as const))
      if (hashes.length === TILE_WIDTH * HASH_BYTES) yield { level, index, width: 0, hashes };
  }
}

const joined = (parts: readonly TileAppend[]): Buffer => Buffer.concat(parts.map(({ hashes }) => hashes));

/**
 * Hashes a tree again from the log if a tile above the leaves is torn, so that the tiles below it prove nothing. If the log matches the
 * signed head, its complete tiles are rewritten; partial tiles belong to the signer.
 */
export class TreeRehash {
  constructor(private readonly parts: JudgedLog) {}

  /** Yields after each page. Returns the records that differ from what was signed: those that differ from their tiles, or all. */
  async *run(head: TreeHead): AsyncGenerator<void, OffsetRange[]> {
    const { topic, partition } = head;
    const end = endOf(head);
    const upper = new UpperTiles();
    const strange: OffsetRange[] = [];
    try {
      const tree = await this.begin(head, upper);
      while (tree.next < end) {
        const records = await this.parts.log.read(topic, partition, tree.next, Math.min(PAGE_RECORDS, end - tree.next));
        if (records.length === 0) return [...strange, { first: tree.next, last: end - 1 }];
        await this.compare(head, records, strange);
        tree.take(records);
        await tree.write(upper);
        yield;
      }
    } catch (cause) {
      if (!(cause instanceof BrokenRecord)) throw cause;
      return strange.length > 0 ? strange : [{ first: baseOf(head), last: end - 1 }];
    }
    await this.writeAgain(headName(head), upper);
    return [];
  }

  private async begin(head: TreeHead, into: Tiles): Promise<CoveredTree> {
    const { log, dropped } = this.parts;
    const first = await log.first(head.topic, head.partition);
    const dropped_leaves = leafIndex(head, first);
    if (dropped_leaves <= 0 || !dropped) return CoveredTree.resume(head, into, []);
    return CoveredTree.resume(head, into, [], () => leavesBelow((index) => dropped.read(headName(head), index), dropped_leaves));
  }

  private async compare(head: TreeHead, records: readonly LogRecord[], strange: OffsetRange[]): Promise<void> {
    const name = headName(head);
    let index: number | undefined;
    let tile: Buffer = Buffer.alloc(0);
    for (const record of records) {
      const leaf = leafIndex(head, record.offset);
      const of = Math.floor(leaf / TILE_WIDTH);
      if (of !== index) tile = await this.parts.tiles.read(name, 0, of);
      index = of;
      const at = (leaf % TILE_WIDTH) * HASH_BYTES;
      const kept = tile.subarray(at, at + HASH_BYTES);
      if (kept.length === HASH_BYTES && !kept.equals(recordHash(record))) addRange(strange, { first: record.offset, last: record.offset });
    }
  }

  private async writeAgain(name: string, upper: UpperTiles): Promise<void> {
    const { tiles } = this.parts;
    for (const tile of upper.whole()) {
      const kept = await tiles.read(name, tile.level, tile.index);
      if (!kept.equals(tile.hashes)) await tiles.append(name, tile);
    }
  }
}
