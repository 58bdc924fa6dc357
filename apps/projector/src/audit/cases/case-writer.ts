import type { EventLog, LogRecord } from '@countersign/event-log';
import {
  CaseParts,
  type CasesStart,
  type CaseTopic,
  type CheckpointStore,
  casesStart,
  grownBy,
  isOfCalls,
  RequestsOnLog,
} from '@countersign/evidence';
import { endOf, headName, type TreeHead } from '@countersign/proofs';
import { CaseLeaves } from './case-leaves.js';
import { type CoveredEntry, cutOfLeaf, entryBefore, firstWithCut, headsBefore, storedEntries } from './covered-entry.js';
import { TakenRecords } from './taken-records.js';

export interface CaseWriterParts {
  log: EventLog;
  topic: CaseTopic;
  checkpoints: CheckpointStore;
  now_ms(): number;
}

/**
 * Adds the leaves of cases for each signed entry, one entry after the other, beside signing. After a start it first adds those that are
 * missing.
 */
export class CaseWriter {
  private readonly taken: TakenRecords;
  private readonly requests: RequestsOnLog;
  private readonly parts: CaseParts;
  private heads = new Map<string, TreeHead>();
  private ends = new Map<string, number>();
  private leaves: CaseLeaves | undefined;
  /** The next entry to write. */
  private next = 0;
  private signed: CoveredEntry[] = [];
  private working: Promise<void> | undefined;
  private isClosed = false;

  /** Resolves if leaves cannot be written: then the signing run ends, and the next one begins with what is missing. */
  readonly failed: Promise<unknown>;
  private fail!: (cause: unknown) => void;

  constructor(private readonly from: CaseWriterParts) {
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
    this.requests = new RequestsOnLog(from.log, from.topic.decoder, (topic, partition) => this.ends.get(`${topic}/${partition}`) ?? 0);
    this.taken = new TakenRecords(from.log, this.requests);
    this.parts = new CaseParts(this.requests);
  }

  /** Adds what is missing. Does not wait for it. */
  start(): void {
    this.work();
  }

  take(records: readonly LogRecord[], leaves: readonly Buffer[]): void {
    this.taken.take(records, leaves);
  }

  /** Notes an entry that was just signed. */
  covered(entry: CoveredEntry): void {
    this.signed.push(entry);
    this.work();
  }

  private work(): void {
    this.working ??= this.writeAll()
      .catch((cause) => this.fail(cause))
      .finally(() => {
        this.working = undefined;
        if (this.signed.length > 0 && !this.isClosed) this.work();
      });
  }

  private async writeAll(): Promise<void> {
    this.leaves ??= await this.open();
    for (let entry = this.signed.shift(); entry && !this.isClosed; entry = this.signed.shift())
      if (entry.number >= this.next) await this.write(entry);
  }

  /** Goes through the stored entries from the last one that has leaves. */
  private async open(): Promise<CaseLeaves> {
    const { topic, checkpoints } = this.from;
    const newest = await checkpoints.newest();
    const start = await casesStart(checkpoints, newest);
    const leaves = await CaseLeaves.open(topic, start);
    const first = await this.firstEntry(leaves, start);
    const from = first ?? (newest ? newest.record.number + 1 : 0);
    this.move([...(await headsBefore(checkpoints, from)).values()]);
    this.next = from;
    this.leaves = leaves;
    for await (const entry of storedEntries(checkpoints, from, new Map(this.heads))) {
      if (this.isClosed) break;
      await this.write(entry);
    }
    await this.taken.noteFromNow();
    return leaves;
  }

  /** The entry from which requests are needed; undefined if no entry has a cut. */
  private async firstEntry({ newestLeaf }: CaseLeaves, start: CasesStart): Promise<number | undefined> {
    const { checkpoints } = this.from;
    if (newestLeaf) return entryBefore(checkpoints, newestLeaf.entry, await cutOfLeaf(checkpoints, newestLeaf, start.generation));
    const opened = start.entry > 0 ? await checkpoints.at(start.entry) : undefined;
    return opened?.record.cut ? entryBefore(checkpoints, start.entry, opened.record.cut) : firstWithCut(checkpoints);
  }

  private async write(entry: CoveredEntry): Promise<void> {
    const ranges = entry.moved
      .filter(({ topic }) => isOfCalls(topic))
      .map((head) => grownBy(head, this.heads.get(headName(head))?.size ?? 0));
    const covered = await Promise.all(ranges.map((range) => this.taken.of(range)));
    this.move(entry.moved);
    for (const { requests } of covered) await this.requests.note(requests);
    const parts = await this.parts.cover(covered.flatMap(({ calls }) => calls));
    await this.leaves?.write(entry, parts, this.from.now_ms());
    this.next = entry.number + 1;
  }

  private move(heads: readonly TreeHead[]): void {
    for (const head of heads) {
      this.heads.set(headName(head), head);
      const place = `${head.topic}/${head.partition}`;
      this.ends.set(place, Math.max(this.ends.get(place) ?? 0, endOf(head)));
    }
  }

  /** Resolves when the leaves of all signed entries are written. */
  async idle(): Promise<void> {
    while (this.working && !this.isClosed) await this.working;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.working;
  }
}
