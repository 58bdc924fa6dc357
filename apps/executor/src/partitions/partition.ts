import { type CallTopic, laneTopic } from '@countersign/contracts';
import type { ExecutionState } from '@countersign/domain';
import type { OwnedPartition, TopicOffset } from '@countersign/event-log';
import type { ProcessIdentity } from '@countersign/runtimes';
import type { DoubtfulRows } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import { NewestByKey } from '../calls/newest-by-key.js';
import { OffsetTracker } from './offset-tracker.js';

/** The newest start of a call that has not ended. */
export interface Start {
  epoch: number;
  offset: number;
  fired_at_ms: number;
  /** The process that it runs in, if it is not the executor itself. */
  process: ProcessIdentity | null;
}

/** A call that ended recently, here or on the log. */
export interface RecentEnd {
  state: ExecutionState;
  end_offset: number;
  ended_at_ms: number;
  /** The last revision that is closed: Infinity after an end, the revision itself if the call was sent back for a new decision. */
  revision: number;
  /** The attempt whose row it ends. Absent: it has no row. */
  row_attempt?: number;
}

const isOfAnotherRow = (a: RecentEnd, b: RecentEnd): boolean =>
  a.row_attempt !== undefined && b.row_attempt !== undefined && a.row_attempt !== b.row_attempt;

const RECENT_MAX = 5_000;
const INPUTS: readonly CallTopic[] = ['policy-decided', 'approval-granted'];

/** What this process knows about one partition of a lane: history, recent ends, starts and waiting calls. */
export class Partition implements OwnedPartition {
  /** By topic name on the log. */
  readonly inputs: ReadonlyMap<string, OffsetTracker>;
  readonly executed: string;
  /** Calls that started and have not ended, by call. */
  readonly starts = new Map<string, Start>();
  /** Calls in doubt, and their rows. */
  readonly doubts = new Map<string, DoubtfulRows>();
  /** Calls that wait for the end of a call of another executor. */
  readonly awaiting_remote_outcome = new Map<string, Job[]>();
  /** Calls that were cancelled before this process knew an authorization. */
  readonly cancelled = new Set<string>();
  /** Callers that wait until everything below an offset of tool-executed is known. */
  private waiting: { offset: number; known(): void }[] = [];
  private known_below = 0;
  /** Own records above `next_end`. */
  readonly ahead = new Set<number>();
  private is_assigned = true;
  private readonly recent = new NewestByKey<RecentEnd>(RECENT_MAX);

  constructor(
    readonly lane: string,
    readonly number: number,
    history: ReadonlyMap<string, number> = new Map(),
  ) {
    this.inputs = new Map(INPUTS.map((topic) => [laneTopic(topic, lane), new OffsetTracker(history.get(laneTopic(topic, lane)) ?? 0)]));
    this.executed = laneTopic('tool-executed', lane);
  }

  /** False once the partition moved to another executor; running calls still finish here. */
  get assigned(): boolean {
    return this.is_assigned;
  }

  /** All lower offsets are history. */
  resumeFrom(): TopicOffset[] {
    return [...this.inputs].map(([topic, tracker]) => ({ topic, partition: this.number, offset: tracker.historyBelow }));
  }

  close(): void {
    this.is_assigned = false;
  }

  /** The next offset of tool-executed that this process has not seen or written. */
  get next_end(): number {
    return this.known_below;
  }

  set next_end(offset: number) {
    this.known_below = offset;
    if (this.waiting.length === 0) return;
    const now_known = this.waiting.filter((each) => each.offset < offset);
    this.waiting = this.waiting.filter((each) => each.offset >= offset);
    for (const each of now_known) each.known();
  }

  /** Its end, if it has one. A call that was sent back for a new decision has none: it may be granted and run. */
  endOf(call_id: string): RecentEnd | undefined {
    const recent = this.recent.get(call_id);
    return recent?.revision === Number.POSITIVE_INFINITY ? recent : undefined;
  }

  /** True if the row of the job has an end, and not only its call. */
  rowHasEnded({ call_id, attempt }: Pick<Job, 'call_id' | 'attempt'>): boolean {
    return this.endOf(call_id)?.row_attempt === attempt;
  }

  /** True if the row has an end that no later record replaces. */
  isOver(call_id: string, row_attempt: number): boolean {
    const before = this.endOf(call_id);
    if (!before || before.state === 'in_doubt') return false;
    return before.row_attempt === undefined || before.row_attempt === row_attempt;
  }

  /** True if this revision may no longer run: the call has ended, or was sent back for a new decision. */
  isClosed(call_id: string, revision: number): boolean {
    return (this.recent.get(call_id)?.revision ?? Number.NEGATIVE_INFINITY) >= revision;
  }

  /** Notes an end of a call. The first one counts, except that a resolution replaces a doubt, and the end of a row one of another row. */
  ended(call_id: string, end: RecentEnd): void {
    const before = this.recent.get(call_id);
    if (before && before.revision >= end.revision && before.state !== 'in_doubt' && !isOfAnotherRow(before, end)) return;
    this.recent.set(call_id, end);
    this.starts.delete(call_id);
    this.cancelled.delete(call_id);
  }

  /** Notes that the effect of a call was undone. */
  compensated(call_id: string): void {
    const end = this.recent.get(call_id);
    if (end) this.recent.set(call_id, { ...end, state: 'compensated' });
  }

  /** Resolves once everything on tool-executed below the newest start of a call is known; undefined if it already is. */
  startKnown(call_id: string): Promise<void> | undefined {
    const start = this.starts.get(call_id);
    return start && this.known(start.offset);
  }

  /** Resolves once everything on tool-executed up to the offset is known; undefined if it already is. */
  known(offset: number): Promise<void> | undefined {
    return offset < this.next_end ? undefined : new Promise((known) => this.waiting.push({ offset, known }));
  }

  acknowledge(topic: string, offset: number, end_offset?: number): void {
    this.inputs.get(topic)?.acknowledge(offset, end_offset);
  }

  /** Notes own records on tool-executed. If they directly follow the known records, no other process wrote in between. */
  wrote(offset: number): void {
    if (offset !== this.next_end) {
      if (offset > this.next_end) this.ahead.add(offset);
      return;
    }
    this.next_end++;
    while (this.ahead.size > 0 && this.ahead.delete(this.next_end)) this.next_end++;
  }

  /** True if the record was neither read nor written here. */
  isUnread(offset: number): boolean {
    return offset >= this.next_end && !this.ahead.has(offset);
  }

  /** Notes that everything on tool-executed below the offset was read. */
  readTo(offset: number): void {
    if (offset <= this.next_end) return;
    for (const own of this.ahead) if (own < offset) this.ahead.delete(own);
    this.next_end = offset;
  }

  /** The offset from which the next owner of the partition must read the ends. */
  endsFrom(): number {
    let lowest = this.next_end;
    for (const start of this.starts.values()) if (start.offset < lowest) lowest = start.offset;
    for (const input of this.inputs.values()) lowest = Math.min(lowest, input.lowestEndAbove());
    return lowest;
  }
}
