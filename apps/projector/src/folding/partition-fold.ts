import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { crashPoint, InfrastructureFault, parseTopic } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import type { OwnedPartition, TopicOffset } from '@countersign/event-log';
import type { CallTracer } from '@countersign/process';
import { NOT_THE_OWNER, type ProjectionOffset, type Store, WRITTEN_BEFORE } from '@countersign/store';
import type { Projection } from '../projections/projection.js';
import { type CallStates, NO_CALL } from './call-states.js';
import { topicsOf } from './lanes.js';
import { OptimisticWrites } from './optimistic-writes.js';
import { PendingWrite } from './pending-write.js';
import { callOf, unfoldable } from './storable-event.js';
import { NewerViews, type WritePlan } from './write-plan.js';

/** When folded rows are written: soon under low load, later and in larger batches under high load. */
export interface WritePace {
  min_ms: number;
  max_ms: number;
  /** Wait this long for each call, or saga, of the last write: beyond 1000 / per_call_ms calls a second the wait grows to its maximum. */
  per_call_ms: number;
  /** Folding pauses beyond this number until a write completes. */
  calls_max: number;
}

export const defaultPace: WritePace = { min_ms: 8, max_ms: 350, per_call_ms: 40, calls_max: 2000 };

/** Logger of write errors and other errors of a fold. */
export interface FoldSink {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export interface PartitionFoldOptions {
  store: Store;
  lane: string;
  partition: number;
  plan: WritePlan;
  /** The plan after a refused write; undefined if another process took the partition. */
  planAgain(): Promise<WritePlan | undefined>;
  projections: readonly Projection[];
  states: CallStates;
  /** The stored offsets of this partition's topics. */
  from: readonly ProjectionOffset[];
  pace: WritePace;
  sink: FoldSink;
  /** Absent if no traces are recorded. */
  tracer?: CallTracer | undefined;
}

interface Queued {
  events: readonly PlacedEvent[];
  resolve(): void;
  reject(cause: unknown): void;
}

const LARGE_BATCH = 250;
const RETRY_MS = [50, 100, 250, 500, 1000, 2000, 5000];
/** Causes before effects: if both arrive together, a call's request is folded first. */
const order = ['configuration-changed', 'tool-call-requested', 'policy-decided', 'approval-voted', 'approval-granted', 'tool-executed'];
const rank = ({ events }: Queued) => order.indexOf(parseTopic(events[0]?.topic ?? '').topic);

const sqlstateOf = (cause: unknown): string | undefined => (cause as { sqlstate?: string }).sqlstate;

/**
 * Folds the topics of one partition of a lane into rows. Folding is in memory and ahead of the store. Rows are written together with their
 * offsets some milliseconds later, and only while this process owns the partition.
 */
export class PartitionFold implements OwnedPartition {
  private readonly offsets: Map<string, ProjectionOffset>;
  private readonly written: Map<string, number>;
  private pending: PendingWrite;
  private queue: Queued[] = [];
  private lingering: (() => void)[] = [];
  private draining: Promise<void> | undefined;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private lastWrite = 0;
  private closing = false;
  private lost = false;
  private plan: WritePlan;
  private readonly writes: OptimisticWrites;
  private readonly poisoned = new Map<string, unknown>();

  constructor(private readonly options: PartitionFoldOptions) {
    this.offsets = new Map(options.from.map((offset) => [offset.topic, offset]));
    this.written = new Map(options.from.map(({ topic, next_offset }) => [topic, next_offset]));
    this.pending = new PendingWrite(options.projections);
    this.plan = options.plan;
    this.writes = new OptimisticWrites(options.store);
  }

  get lane(): string {
    return this.options.lane;
  }

  get number(): number {
    return this.options.partition;
  }

  /** Names each topic, because the stored offsets take precedence over those that the group committed. */
  resumeFrom(): TopicOffset[] {
    return topicsOf(this.lane).map((topic) => ({ topic, partition: this.number, offset: this.next(topic) }));
  }

  /** The next offset of a topic to fold. */
  next(topic: string): number {
    return this.offsets.get(topic)?.next_offset ?? 0;
  }

  /** Readers of the views see a topic up to here: the offset after its newest written record. */
  shown(topic: string): number {
    return this.written.get(topic) ?? 0;
  }

  /**
   * Resolves when these events (of one topic, in order) are folded; skips events folded before. A small batch waits until the next write
   * begins, so that events that arrive meanwhile form one batch and the events of a call share a write. Rejects with the error of an event
   * that cannot be folded.
   */
  fold(events: readonly PlacedEvent[]): Promise<void> {
    const folded = new Promise<void>((resolve, reject) => this.queue.push({ events, resolve, reject }));
    this.draining ??= this.drain();
    return folded;
  }

  /** Skips a record that cannot be folded. */
  skip(topic: string, offset: number): void {
    if (this.next(topic) !== offset) return;
    this.poisoned.delete(`${topic}/${offset}`);
    this.pass(topic, offset, 0);
    this.arm();
  }

  /** Writes folded rows and releases the partition. */
  async close(): Promise<void> {
    // From now on a write that keeps failing is given up, so that closing does not wait for an unavailable store.
    this.closing = true;
    await this.draining;
    clearTimeout(this.timer);
    while (!this.lost && (this.writing || !this.pending.isEmpty)) await this.write();
    this.lost = true;
    this.release();
  }

  private async drain(): Promise<void> {
    for (await turn(); this.queue.length > 0; ) {
      const taken = this.queue.splice(0).sort((a, b) => rank(a) - rank(b));
      try {
        await this.prepare(taken);
      } catch (cause) {
        for (const { reject } of taken) reject(cause);
        continue;
      }
      for (const { events, resolve, reject } of taken) {
        try {
          for (const at of events) this.foldOne(at);
          if (events.length >= LARGE_BATCH || this.pending.isEmpty) resolve();
          else this.lingering.push(resolve);
        } catch (cause) {
          reject(cause);
        }
      }
      this.arm();
    }
    this.draining = undefined;
  }

  private async prepare(taken: readonly Queued[]): Promise<void> {
    const { store, states, pace } = this.options;
    while (!this.lost && this.pending.call_ids.size > pace.calls_max) await this.write();
    if (this.lost) throw new InfrastructureFault('another process of the group owns this partition now');
    const events = taken.flatMap((queued) => queued.events.filter((at) => at.offset >= this.next(at.topic)));
    const requests = events.find((at) => at.event_type === 'tool_call_requested')?.topic ?? '';
    await states.load(this.plan.states.of(store), events, this.offsets.get(requests)?.hlc ?? 0);
  }

  private foldOne(at: PlacedEvent): void {
    if (at.offset < this.next(at.topic)) return;
    if (this.poisoned.size > 0) this.refusePoison(at);
    const fault = unfoldable(at);
    if (fault !== undefined) throw new Error(fault);
    const call_id = callOf(at);
    const states = call_id === null ? NO_CALL : this.options.states.fold(at, call_id);
    const unfolded = this.pending.fold({ at, ...states });
    if (unfolded !== undefined) this.poisoned.set(`${at.topic}/${at.offset}`, unfolded);
    if (unfolded !== undefined) throw unfolded;
    this.pass(at.topic, at.offset, at.event.meta.hlc);
    if (this.options.tracer) this.pending.trace(at, this.options.tracer);
  }

  /**
   * Rejects a repeated record that a projection could not fold, until the consumer has isolated it. The other projections have folded it,
   * once.
   */
  private refusePoison({ topic, offset }: PlacedEvent): void {
    const cause = this.poisoned.get(`${topic}/${offset}`);
    if (cause !== undefined) throw cause;
  }

  private pass(topic: string, offset: number, hlc: number): void {
    const known = this.offsets.get(topic);
    const passed = { topic, partition: this.options.partition, next_offset: offset + 1, hlc: Math.max(known?.hlc ?? 0, hlc) };
    this.offsets.set(topic, passed);
    this.pending.passed(passed);
  }

  private arm(): void {
    const { pace } = this.options;
    if (this.timer || this.writing || this.lost || this.pending.isEmpty) return;
    const delay_ms = Math.max(pace.min_ms, Math.min(pace.max_ms, this.lastWrite * pace.per_call_ms));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.write();
    }, delay_ms);
  }

  /** One write at a time; a second caller waits for the running one. */
  private write(): Promise<void> {
    this.writing ??= this.writeRows().finally(() => {
      this.writing = undefined;
      this.arm();
    });
    return this.writing;
  }

  private release(): void {
    for (const resolve of this.lingering.splice(0)) resolve();
  }

  private async writeRows(): Promise<void> {
    const { partition, projections, states, sink } = this.options;
    const write = this.pending;
    this.pending = new PendingWrite(projections);
    this.release();
    this.lastWrite = write.size;
    crashPoint('projector.before_rows');
    for (let attempt = 0; ; attempt++) {
      try {
        await this.writes.write(write.statements(this.plan, attempt > 0));
        break;
      } catch (cause) {
        if (sqlstateOf(cause) === WRITTEN_BEFORE) break;
        if (await this.replanned(cause)) continue;
        this.lost ||= this.closing && attempt > 2;
        if (this.lost) this.release();
        const where = { group: this.plan.group, partition, cause: String(cause) };
        if (this.lost)
          return sink.warn(
            { event: 'partition_lost', ...where },
            'this process no longer owns the partition: its pending rows are dropped',
          );
        sink.error({ event: 'views_not_written', ...where, attempt }, 'the views could not be written; retrying');
        await sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
      }
    }
    crashPoint('projector.after_rows');
    for (const { topic, next_offset } of write.reached) this.written.set(topic, next_offset);
    states.written(write.call_ids, this.pending.call_ids);
    write.written();
  }

  /** After a refused write: true if another plan is in force, with which the same rows are written again. */
  private async replanned(cause: unknown): Promise<boolean> {
    if (sqlstateOf(cause) !== NOT_THE_OWNER) return false;
    try {
      const plan = await this.options.planAgain();
      const changed = plan !== undefined && plan.number !== this.plan.number;
      if (plan) this.plan = plan;
      this.lost ||= plan === undefined;
      return changed;
    } catch (again) {
      this.lost ||= again instanceof NewerViews;
      if (this.lost)
        this.options.sink.error(
          { event: 'newer_views_live', cause: String(again) },
          'readers see views of a newer version: stop this process',
        );
      return false;
    }
  }
}
