import type { EventLog } from '@countersign/event-log';
import { RecordsDropped } from '@countersign/event-log/event-log';
import { HASH_BYTES, ProvenTiles, recordHash, TILE_WIDTH, type TreeHead } from '@countersign/proofs';
import type { DroppedLeaves } from '../drops/dropped-leaves.js';
import { type Tiles, treeName } from '../trees/tiles.js';
import { addRange, type OffsetRange } from './offset-ranges.js';
import type { SignedHeads } from './signed-heads.js';

/** A whole tile of leaf hashes that is not what was signed, and the hashes that are: those of the log. */
export interface TornTile {
  index: number;
  hashes: Buffer;
}

/** What came of a comparison of records with the signed head. */
export interface Judgement {
  /** Records that are not what was signed. */
  wrong: OffsetRange[];
  torn: TornTile[];
  /** Records of which nothing can be said: tiles above them do not add up. Then the tree has to be hashed anew. */
  unproven: number;
}

/** Where evidence of the log is read from. */
export interface JudgedLog {
  log: Pick<EventLog, 'read' | 'first'>;
  tiles: Tiles;
  /** Leaf hashes of records that were dropped. */
  dropped?: DroppedLeaves | undefined;
}

/**
 * Compares records, by the hashes of their leaves, with the newest signed head. A tile that does not add up to it is no
 * accusation: then the log's own records are hashed, and it is wrong where they do not add up either.
 */
export class RecordJudge {
  private readonly trees = new Map<string, { head: TreeHead; tiles: ProvenTiles }>();

  constructor(
    private readonly from: JudgedLog,
    private readonly heads: SignedHeads,
  ) {}

  /** The trees that are signed, as the newest checkpoint has them. */
  async signed(): Promise<readonly TreeHead[]> {
    return (await this.heads.newest())?.all ?? [];
  }

  /** Judges the records from an offset on, all of them below the size of this signed head. */
  async judge(head: TreeHead, first: number, hashes: Buffer): Promise<Judgement> {
    const judgement: Judgement = { wrong: [], torn: [], unproven: 0 };
    const end = first + hashes.length / HASH_BYTES;
    for (let at = first; at < end; ) {
      const index = Math.floor(at / TILE_WIDTH);
      const to = Math.min(end, (index + 1) * TILE_WIDTH);
      const part = hashes.subarray((at - first) * HASH_BYTES, (to - first) * HASH_BYTES);
      await this.judgeTile(head, index, { at, hashes: part }, judgement);
      at = to;
    }
    return judgement;
  }

  private async judgeTile(head: TreeHead, index: number, read: { at: number; hashes: Buffer }, judgement: Judgement): Promise<void> {
    const proven = this.tilesOf(head);
    const tile = await proven.tile(0, index);
    const leaves = tile ?? (await this.leavesOnLog(head, index));
    const isSigned = tile ? true : leaves && (await proven.hasLeaves(index, leaves));
    const first = index * TILE_WIDTH;
    if (!leaves || isSigned === undefined) judgement.unproven += read.hashes.length / HASH_BYTES;
    else if (!isSigned) addRange(judgement.wrong, { first, last: Math.min(head.size, first + TILE_WIDTH) - 1 });
    else compare(read, leaves.subarray((read.at - first) * HASH_BYTES), judgement.wrong);
    if (!tile && isSigned && leaves?.length === TILE_WIDTH * HASH_BYTES) judgement.torn.push({ index, hashes: leaves });
  }

  private tilesOf(head: TreeHead): ProvenTiles {
    const name = treeName(head.topic, head.partition);
    const known = this.trees.get(name);
    if (known?.head.size === head.size && known.head.root.equals(head.root)) return known.tiles;
    const tiles = known?.tiles.under(head) ?? ProvenTiles.of(head, (level, index) => this.from.tiles.read(name, level, index));
    this.trees.set(name, { head, tiles });
    return tiles;
  }

  /** The leaf hashes of a tile's records as they stand on the log, or were kept of those that were dropped. */
  private async leavesOnLog({ topic, partition, size }: TreeHead, index: number): Promise<Buffer | undefined> {
    const { log, dropped } = this.from;
    const [from, to] = [index * TILE_WIDTH, Math.min(size, (index + 1) * TILE_WIDTH)];
    const first = Math.min(to, Math.max(from, await log.first(topic, partition)));
    const gone = (first - from) * HASH_BYTES;
    const kept = gone === 0 ? Buffer.alloc(0) : await dropped?.read(treeName(topic, partition), index);
    if (!kept || kept.length < gone) return undefined;
    try {
      const records = first < to ? await readAll(log, { topic, partition }, first, to) : [];
      return Buffer.concat([kept.subarray(0, gone), ...records.map(recordHash)]);
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
