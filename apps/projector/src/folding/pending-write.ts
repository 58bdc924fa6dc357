import type { PlacedEvent } from '@countersign/domain';
import type { CallSpan, CallTracer } from '@countersign/process';
import { notWritten, type ProjectionOffset, type Statement, storeOffsets } from '@countersign/store';
import type { Change, PendingRows, Projection } from '../projections/projection.js';
import { sagaOf } from './storable-event.js';
import type { WritePlan } from './write-plan.js';

/** The changes since the last write: rows of every projection, and their offsets. */
export class PendingWrite {
  readonly call_ids = new Set<string>();
  private readonly sagas = new Set<string>();
  private readonly rows: { name: string; rows: PendingRows }[];
  private readonly made = new Map<string, Statement[]>();
  private readonly offsets = new Map<string, ProjectionOffset>();
  private readonly spans: CallSpan[] = [];

  constructor(projections: readonly Projection[]) {
    this.rows = projections.map((projection) => ({ name: projection.set.name, rows: projection.empty() }));
  }

  get isEmpty(): boolean {
    return this.offsets.size === 0;
  }

  /** Next offset of each topic after this write. */
  get reached(): Iterable<ProjectionOffset> {
    return this.offsets.values();
  }

  /** How much it contains: calls, or sagas where those are more. */
  get size(): number {
    return Math.max(this.call_ids.size, this.sagas.size);
  }

  /** @returns the error of a projection that cannot fold it; the others have folded it. */
  fold(change: Change): unknown {
    let fault: unknown;
    for (const { rows } of this.rows) {
      try {
        rows.fold(change);
      } catch (cause) {
        fault ??= cause;
      }
    }
    const saga = sagaOf(change.at);
    if (saga !== undefined) this.sagas.add(saga);
    if (change.after && change.after !== change.before) this.call_ids.add(change.after.call_id);
    if (change.undone && change.undone.after !== change.undone.before) this.call_ids.add(change.undone.after.call_id);
    return fault;
  }

  /** The last span of a traced record: from its fold until its rows are written. */
  trace({ event_type, event, traceparent }: PlacedEvent, tracer: CallTracer): void {
    const { call_id } = event.meta;
    if (traceparent === undefined || call_id === null) return;
    const span = tracer.start(`project ${event_type}`, traceparent);
    span.set({ 'countersign.call_id': call_id });
    this.spans.push(span);
  }

  /** Ends the spans: the rows are written. */
  written(): void {
    for (const span of this.spans) span.end();
  }

  passed(offset: ProjectionOffset): void {
    this.offsets.set(offset.topic, offset);
  }

  /** One transaction: it commits only if the plan is current and, if it is sent again, only if it was not written before. */
  statements(plan: WritePlan, is_again = false): Statement[] {
    const rows = this.rows.filter(({ name }) => plan.projections.has(name)).flatMap((each) => this.ofOne(each));
    const offsets = [...this.offsets.values()];
    const checks = is_again ? [plan.held, notWritten(offsets, plan.group)] : [plan.held];
    return [...checks, ...rows.map((statement) => plan.tables.bind(statement)), storeOffsets(offsets, plan.group)];
  }

  private ofOne({ name, rows }: { name: string; rows: PendingRows }): Statement[] {
    const made = this.made.get(name) ?? rows.statements();
    this.made.set(name, made);
    return made;
  }
}
