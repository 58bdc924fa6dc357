import type { PlacedEvent } from '@countersign/domain';
import type { ProjectionOffset, Sql, Statement } from '@countersign/store';
import { type CallStates, NO_CALL } from '../folding/call-states.js';
import { PendingWrite } from '../folding/pending-write.js';
import { callOf } from '../folding/storable-event.js';
import type { WritePlan } from '../folding/write-plan.js';
import type { Projection } from '../projections/projection.js';

/** Calls complete soon after they begin: few of those that are open longer change soon, and their state can be loaded from a row. */
export const OPEN_CALLS_MAX = 4_000;

/** The result of a folded part of the log: the statements of one write, and data to keep until they have run. */
export interface Refolded {
  statements: Statement[];
  call_ids: ReadonlySet<string>;
}

/** Refolds one partition for some projections, one part at a time. */
export class Refold {
  private readonly offsets: Map<string, ProjectionOffset>;
  private pending: PendingWrite;

  constructor(
    private readonly plan: WritePlan,
    private readonly projections: readonly Projection[],
    private readonly states: CallStates,
    from: readonly ProjectionOffset[],
  ) {
    this.offsets = new Map(from.map((offset) => [offset.topic, offset]));
    this.pending = new PendingWrite(projections);
  }

  /** Number of call rows to write. */
  get calls(): number {
    return this.pending.call_ids.size;
  }

  get isEmpty(): boolean {
    return this.pending.isEmpty;
  }

  /** Skips events that a projection cannot fold: they were put in dead-letter when they first came. */
  async fold(sql: Sql, events: readonly PlacedEvent[]): Promise<void> {
    const requests = events.find((at) => at.event_type === 'tool_call_requested')?.topic ?? '';
    await this.states.load(this.plan.states.of(sql), events, this.offsets.get(requests)?.hlc ?? 0);
    for (const at of events) {
      const call_id = callOf(at);
      const states = call_id === null ? NO_CALL : this.states.fold(at, call_id);
      this.pending.fold({ at, ...states });
      this.passed(at.topic, at.partition, at.offset + 1, at.event.meta.hlc);
    }
  }

  /** Everything of the topic below the offset is folded, including skipped last records. */
  passed(topic: string, partition: number, next_offset: number, hlc = 0): void {
    const known = this.offsets.get(topic);
    if (known && known.next_offset >= next_offset) return;
    const offset = { topic, partition, next_offset, hlc: Math.max(known?.hlc ?? 0, hlc) };
    this.offsets.set(topic, offset);
    this.pending.passed(offset);
  }

  /** One write of the rows since the last; call back when it has run. */
  take(): Refolded {
    const { pending } = this;
    this.pending = new PendingWrite(this.projections);
    return { statements: pending.statements(this.plan), call_ids: pending.call_ids };
  }

  written({ call_ids }: Refolded): void {
    this.states.written(call_ids, this.pending.call_ids);
  }

  positions(): ProjectionOffset[] {
    return [...this.offsets.values()];
  }
}
