import type { LogRecord } from '@countersign/event-log';
import type { TreeSpan } from '@countersign/proofs';
import type { DamageFinder, DamageReport } from '../damage/found-damage.js';
import { treeName } from '../trees/tiles.js';
import { HashedRun } from './hashed-run.js';
import type { RecordJudge } from './record-judge.js';
import { wrongRecords } from './wrong-records.js';

const JUDGED_EVERY_MS = 1000;
/** Readers wait for a comparison once this many records are pending. */
const WAITING_MAX = 8_192;
/** Maximum of unsigned records that are remembered; older ones are left to the scrubber. */
const UNSIGNED_MAX = 50_000;

/**
 * Checks the records that readers read: remembers their hashes and compares them with the signed head in batches. Records newer than the
 * newest checkpoint are compared once one covers them.
 */
export class ReadCheck {
  private runs = new Map<string, HashedRun[]>();
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;
  private judging: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly judge: RecordJudge,
    private readonly damage: DamageReport,
    private readonly found_by: DamageFinder,
    /** Called for an infrastructure fault: the comparison is retried later. */
    private readonly faulty: (cause: Error) => void,
  ) {}

  /** Takes records of one partition in offset order. Resolves at once, unless too many are pending. */
  async seen(records: readonly LogRecord[]): Promise<void> {
    if (this.isClosed) return;
    for (const record of records) this.take(record);
    if (this.waiting >= WAITING_MAX) await this.judgeNow();
    else if (this.waiting > 0) this.timer ??= setTimeout(() => void this.judgeNow(), JUDGED_EVERY_MS).unref();
  }

  private take(record: LogRecord): void {
    const { topic, partition, offset } = record;
    const name = treeName(topic, partition);
    const runs = this.runs.get(name) ?? [];
    this.runs.set(name, runs);
    let run = runs.at(-1);
    if (run?.next !== offset) {
      run = new HashedRun(topic, partition, offset);
      runs.push(run);
    }
    run.add(record);
    this.waiting++;
  }

  /** Compares the records that are signed by now; one comparison at a time. */
  judgeNow(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.judging ??= this.judgeAll()
      .catch((cause: Error) => this.faulty(cause))
      .finally(() => {
        this.judging = undefined;
        if (this.waiting > 0 && !this.isClosed) this.timer ??= setTimeout(() => void this.judgeNow(), JUDGED_EVERY_MS).unref();
      });
    return this.judging;
  }

  private async judgeAll(): Promise<void> {
    const spans = new Map<string, TreeSpan[]>();
    for (const span of await this.judge.signed()) {
      const name = treeName(span.head.topic, span.head.partition);
      spans.set(name, [...(spans.get(name) ?? []), span]);
    }
    const taken = this.runs;
    this.runs = new Map();
    this.waiting = 0;
    for (const [name, runs] of taken)
      for (const run of runs) {
        for (const span of spans.get(name) ?? []) await this.judgeRun(span, run);
        this.putBack(name, run);
      }
  }

  /** Compares and drops the records that this span covers. Spans of a partition must be given in offset order. */
  private async judgeRun(span: TreeSpan, run: HashedRun): Promise<void> {
    const count = Math.max(0, Math.min(run.count, span.end - run.first));
    if (count === 0) return;
    const { wrong } = await this.judge.judge(span, run.first, run.oldest(count));
    for (const range of wrong) this.damage.found(wrongRecords(span.head, range, this.found_by));
    run.dropOldest(count);
  }

  private putBack(name: string, run: HashedRun): void {
    const space = UNSIGNED_MAX - this.waiting;
    if (run.count === 0 || space <= 0) return;
    run.dropOldest(Math.max(0, run.count - space));
    this.runs.set(name, [run, ...(this.runs.get(name) ?? [])]);
    this.waiting += run.count;
  }

  /** Compares the signed records a last time, and stops. */
  async close(): Promise<void> {
    await this.judging;
    await this.judgeNow();
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}
