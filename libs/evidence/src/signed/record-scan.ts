import type { LogRecord } from '@countersign/event-log';
import { RecordsDropped, RecordsUnreadable } from '@countersign/event-log/event-log';
import { HASH_BYTES, recordHash, type TreeHead } from '@countersign/proofs';
import type { DamageFinder, DamageReport } from '../damage/found-damage.js';
import { treeName } from '../trees/tiles.js';
import type { JudgedLog, RecordJudge } from './record-judge.js';
import { TreeRehash } from './tree-rehash.js';
import { missingEnd, unreadableRecords, wrongRecords } from './wrong-records.js';

/** What a scan of some records came to. */
export interface Scanned {
  /** Where the scan goes on. */
  next: number;
  records: number;
  /** Records of which the tiles tell nothing. */
  unproven: number;
  /** Whether anything was found that is not what was signed. */
  isDamaged: boolean;
}

/** Reads records that are signed and compares them. Tiles that are not what was signed, while the log is, are written again. */
export class RecordScan {
  constructor(
    private readonly from: JudgedLog,
    private readonly judge: RecordJudge,
    private readonly damage: DamageReport,
    private readonly found_by: DamageFinder,
  ) {}

  /** The trees that are signed. */
  signed(): Promise<readonly TreeHead[]> {
    return this.judge.signed();
  }

  /** Compares up to so many records from an offset on, which is below the size of the head. */
  async page(head: TreeHead, first: number, count: number): Promise<Scanned> {
    const { topic, partition, size } = head;
    const none = { records: 0, unproven: 0 };
    try {
      const records = await this.from.log.read(topic, partition, first, Math.min(count, size - first));
      if (records.length > 0) return await this.compare(head, first, records);
      this.damage.found(missingEnd(head, { first, last: size - 1 }, this.found_by));
      return { ...none, next: size, isDamaged: true };
    } catch (cause) {
      if (cause instanceof RecordsDropped) return { ...none, next: Math.max(cause.first, first + 1), isDamaged: false };
      if (!(cause instanceof RecordsUnreadable)) throw cause;
      // Those before it are compared alone.
      if (cause.offset > first) return this.page(head, first, cause.offset - first);
      this.damage.found(unreadableRecords(head, { first, last: first }, this.found_by));
      return { ...none, next: first + 1, isDamaged: true };
    }
  }

  /**
   * Hashes a tree anew whose tiles prove nothing of some records, page by page. Returns whether it is what was signed: then its
   * tiles are written again.
   */
  async *rehash(head: TreeHead): AsyncGenerator<void, boolean> {
    const wrong = yield* new TreeRehash(this.from).run(head);
    for (const range of wrong) this.damage.found(wrongRecords(head, range, this.found_by));
    return wrong.length === 0;
  }

  private async compare(head: TreeHead, first: number, records: readonly LogRecord[]): Promise<Scanned> {
    const hashes = Buffer.concat(records.map(recordHash), records.length * HASH_BYTES);
    const { wrong, torn, unproven } = await this.judge.judge(head, first, hashes);
    for (const range of wrong) this.damage.found(wrongRecords(head, range, this.found_by));
    const name = treeName(head.topic, head.partition);
    for (const tile of torn) await this.from.tiles.append(name, { level: 0, index: tile.index, width: 0, hashes: tile.hashes });
    return { next: first + records.length, records: records.length, unproven, isDamaged: wrong.length > 0 };
  }
}
