import type { EventLog } from '@countersign/event-log';
import { RecordsDropped } from '@countersign/event-log/event-log';
import {
  endOf,
  HASH_BYTES,
  headName,
  leafIndex,
  offsetOf,
  ProvenTiles,
  recordHash,
  spansOf,
  TILE_WIDTH,
  type TreeHead,
  type TreeSpan,
} from '@countersign/proofs';
import type { DroppedLeaves } from '../drops/dropped-leaves.js';
import type { Tiles } from '../trees/tiles.js';
import { addRange, type OffsetRange } from './offset-ranges.js';
import type { SignedHeads } from './signed-heads.js';

/** A complete tile of leaf hashes that differs from what was signed, with the correct hashes from the log. */
export interface TornTile {
  index: number;
  hashes: Buffer;
}

/** The result of comparing records with the signed head. */
export interface Judgement {
  /** Records that differ from what was signed. */
  wrong: OffsetRange[];
  torn: TornTile[];
  /** Number of records that cannot be judged because the tiles above them are inconsistent: the tree must be hashed again. */
  unproven: number;
}

/** The log and its evidence. */
export interface JudgedLog {
  log: Pick<EventLog, 'read' | 'first'>;
  tiles: Tiles;
  /** Leaf hashes of records that were dropped. */
  dropped?: DroppedLeaves | undefined;
}

/**
 * Compares records, by their leaf hashes, with the newest signed head. A tile that does not match is not yet damage: the log's own records
 * are hashed, and the log is damaged only if they do not match either.
 */
export class RecordJudge {
  private readonly trees = new Map<string, { head: TreeHead; tiles: ProvenTiles }>();

  constructor(
    private readonly from: JudgedLog,
    private readonly heads: SignedHeads,
  ) {}

  /** The spans that the newest checkpoint covers, by tree. */
  async signed(): Promise<readonly TreeSpan[]> {
    return spansOf((await this.heads.newest())?.all ?? []);
  }

  /** Judges consecutive records from an offset on, all within this span. */
  async judge(span: TreeSpan, first: number, hashes: Buffer): Promise<Judgement> {
    const judgement: Judgement = { wrong: [], torn: [], unproven: 0 };
    const end = first + hashes.length / HASH_BYTES;
    for (let at = first; at < end; ) {
      const index = Math.floor(leafIndex(span.head, at) / TILE_WIDTH);
      const to = Math.min(end, offsetOf(span.head, (index + 1) * TILE_WIDTH));
      const part = hashes.subarray((at - first) * HASH_BYTES, (to - first) * HASH_BYTES);
      await this.judgeTile(span, index, { at, hashes: part }, judgement);
      at = to;
    }
    return judgement;
  }

  private async judgeTile(span: TreeSpan, index: number, read: { at: number; hashes: Buffer }, judgement: Judgement): Promise<void> {
    const proven = this.tilesOf(span.head);
    const tile = await proven.tile(0, index);
    const leaves = tile ?? (await this.leavesOnLog(span, index));
    const isSigned = tile ? true : leaves && (await proven.hasLeaves(index, leaves));
    const first = offsetOf(span.head, index * TILE_WIDTH);
    if (!leaves || isSigned === undefined) judgement.unproven += read.hashes.length / HASH_BYTES;
    else if (!isSigned) addRange(judgement.wrong, { first, last: Math.min(span.end, first + TILE_WIDTH) - 1 });
    else compare(read, leaves.subarray((read.at - first) * HASH_BYTES), judgement.wrong);
    if (!tile && isSigned && leaves?.length === TILE_WIDTH * HASH_BYTES) judgement.torn.push({ index, hashes: leaves });
  }

  private tilesOf(head: TreeHead): ProvenTiles {
    const name = headName(head);
    const known = this.trees.get(name);
    if (known?.head.size === head.size && known.head.root.equals(head.root)) return known.tiles;
    const tiles = known?.tiles.under(head) ?? ProvenTiles.of(head, (level, index) => this.from.tiles.read(name, level, index));
    this.trees.set(name, { head, tiles });
    return tiles;
  }

  /**
   * The leaf hashes of a tile's records, from the log or as stored for dropped records. Undefined if some are no longer available: in place
   * of a frozen tree the log has the records of the next generation.
   */
  private async leavesOnLog({ head, end }: TreeSpan, index: number): Promise<Buffer | undefined> {
    const { log, dropped } = this.from;
    const { topic, partition } = head;
    const [from, to] = [offsetOf(head, index * TILE_WIDTH), Math.min(endOf(head), offsetOf(head, (index + 1) * TILE_WIDTH))];
    if (to > end) return undefined;
    const first = Math.min(to, Math.max(from, await log.first(topic, partition)));
    const dropped_bytes = (first - from) * HASH_BYTES;
    const kept = dropped_bytes === 0 ? Buffer.alloc(0) : await dropped?.read(headName(head), index);
    if (!kept || kept.length < dropped_bytes) return undefined;
    try {
      const records = first < to ? await readAll(log, { topic, partition }, first, to) : [];
      return Buffer.concat([kept.subarray(0, dropped_bytes), ...records.map(recordHash)]);
    } catch (cause) {
      if (cause instanceof RecordsDropped) return undefined;
      throw cause;
    }
  }
}

async function readAll(log: Pick<EventLog, 'read'>, { topic, partition }: { topic: string; partition: number }, from: number, to: number) {
  const records = await log.read(topic, partition, from, to - from);
  while (records.length > 0 && from + records.length < to) {
    const more = await log.read(topic, partition, from + records.length, to - from - records.length);
    if (more.length === 0) break;
    records.push(...more);
  }
  return records;
}

function compare({ at, hashes }: { at: number; hashes: Buffer }, leaves: Buffer, wrong: OffsetRange[]): void {
  if (hashes.equals(leaves.subarray(0, hashes.length))) return;
  for (let byte = 0; byte < hashes.length; byte += HASH_BYTES) {
    const offset = at + byte / HASH_BYTES;
    const isSame = hashes.subarray(byte, byte + HASH_BYTES).equals(leaves.subarray(byte, byte + HASH_BYTES));
    if (!isSame) addRange(wrong, { first: offset, last: offset });
  }
}
