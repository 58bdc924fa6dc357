import type { LogRecord } from '@countersign/event-log';
import { RecordsDropped, RecordsUnreadable } from '@countersign/event-log/event-log';
import { HASH_BYTES, headName, recordHash, type TreeSpan } from '@countersign/proofs';
import type { DamageFinder, DamageReport } from '../damage/found-damage.js';
import type { JudgedLog, RecordJudge } from './record-judge.js';
import { TreeRehash } from './tree-rehash.js';
import { missingEnd, unreadableRecords, wrongRecords } from './wrong-records.js';

/** The result of scanning some records. */
export interface Scanned {
  /** Offset at which the scan continues. */
  next: number;
  records: number;
  /** Number of records that the tiles cannot prove, in a tree that can be hashed again. */
  unproven: number;
  /** True if a difference from what was signed was found that nobody has accepted. */
  isDamaged: boolean;
}

/** Reads signed records and compares them. Tiles that do not match are rewritten if the log matches. */
export class RecordScan {
  constructor(
    private readonly from: JudgedLog,
    private readonly judge: RecordJudge,
    private readonly damage: DamageReport,
    private readonly found_by: DamageFinder,
  ) {}

  /** The signed spans, by tree. */
  signed(): Promise<readonly TreeSpan[]> {
    return this.judge.signed();
  }

  /** The first record of a span that is still on the log. */
  async first({ head, first }: TreeSpan): Promise<number> {
    return Math.max(first, await this.from.log.first(head.topic, head.partition));
  }

  /** Compares up to `count` records from an offset within the span. */
  async page(span: TreeSpan, first: number, count: number): Promise<Scanned> {
    const { head, end } = span;
    const none = { records: 0, unproven: 0 };
    try {
      const records = await this.from.log.read(head.topic, head.partition, first, Math.min(count, end - first));
      if (records.length > 0) return await this.compare(span, first, records);
      const isDamaged = this.damage.found(missingEnd(head, { first, last: end - 1 }, this.found_by));
      return { ...none, next: end, isDamaged };
    } catch (cause) {
      if (cause instanceof RecordsDropped) return { ...none, next: Math.max(cause.first, first + 1), isDamaged: false };
      if (!(cause instanceof RecordsUnreadable)) throw cause;
      // Compare the records before it separately.
      if (cause.offset > first) return this.page(span, first, cause.offset - first);
      const isDamaged = this.damage.found(unreadableRecords(head, { first, last: first }, this.found_by));
      return { ...none, next: first + 1, isDamaged };
    }
  }

  /**
   * Hashes a tree again, page by page, if its tiles cannot prove some records. Returns whether it matches what was signed: then its tiles
   * are rewritten.
   */
  async *rehash({ head }: TreeSpan): AsyncGenerator<void, boolean> {
    const wrong = yield* new TreeRehash(this.from).run(head);
    for (const range of wrong) this.damage.found(wrongRecords(head, range, this.found_by));
    return wrong.length === 0;
  }

  private async compare(span: TreeSpan, first: number, records: readonly LogRecord[]): Promise<Scanned> {
    const { head, isFrozen } = span;
    const hashes = Buffer.concat(records.map(recordHash), records.length * HASH_BYTES);
    const { wrong, torn, unproven } = await this.judge.judge(span, first, hashes);
    const counts = wrong.map((range) => this.damage.found(wrongRecords(head, range, this.found_by)));
    for (const { index, hashes } of torn) await this.from.tiles.append(headName(head), { level: 0, index, width: 0, hashes });
    // A frozen tree lacks the records for which it was frozen.
    return { next: first + records.length, records: records.length, unproven: isFrozen ? 0 : unproven, isDamaged: counts.includes(true) };
  }
}
