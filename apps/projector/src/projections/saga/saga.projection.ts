import type { PlacedEvent } from '@countersign/domain';
import { type SagaStepWrite, type SagaWrite, type Statement, sagaTables as set, upsertSagaSteps, upsertSagas } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

/** The events that the rows show; only the saga decider reads other records of `compensation`. */
const folded = {
  saga_started: true,
  saga_step_ended: true,
  saga_compensation_started: true,
  compensation_requested: true,
  compensation_executed: true,
  compensation_failed: true,
  saga_ended: true,
} as const;
type SagaEvent = Extract<PlacedEvent, { event_type: keyof typeof folded }>;
type UndoEvent = Extract<SagaEvent, { event_type: `compensation_${string}` }>;
type StepEvent = UndoEvent | Extract<SagaEvent, { event_type: 'saga_step_ended' }>;

const isSagaEvent = (at: PlacedEvent): at is SagaEvent => Object.hasOwn(folded, at.event_type);
const isUndo = (at: SagaEvent): at is UndoEvent => at.event_type.startsWith('compensation_');
const json = (value: unknown): string | null => (value === null ? null : storable(JSON.stringify(value)));

class PendingSagas implements PendingRows {
  private readonly sagas = new Map<string, SagaWrite>();
  private readonly steps = new Map<string, SagaStepWrite>();

  fold({ at }: Change): void {
    if (!isSagaEvent(at)) return;
    if (at.event_type === 'saga_started') this.started(at);
    else if (at.event_type === 'saga_ended') this.ended(at);
    else if (at.event_type === 'saga_step_ended') this.stepEnded(at);
    else if (at.event_type === 'saga_compensation_started') this.saga(at).compensating = true;
    else if (isUndo(at)) this.undone(at);
  }

  private stepEnded(at: Extract<SagaEvent, { event_type: 'saga_step_ended' }>): void {
    const { tool, call_id, status, error, ended_at_ms } = at.event;
    const row = this.step(at);
    row.tool ??= storable(tool);
    row.call_id ??= storable(call_id);
    if (row.status === null) Object.assign(row, { status, error: json(error), ended_at_ms });
  }

  private started(at: Extract<SagaEvent, { event_type: 'saga_started' }>): void {
    const { definition, definition_version, steps, by, started_at_ms } = at.event;
    const row = this.saga(at);
    if (row.started_at_ms !== null) return;
    const named = { definition: storable(definition), definition_version: storable(definition_version) };
    Object.assign(row, { ...named, steps: json(steps), started_by: json(by), started_at_ms });
  }

  private ended(at: Extract<SagaEvent, { event_type: 'saga_ended' }>): void {
    const { status, failed_step_id, error, reason, ended_at_ms } = at.event;
    const row = this.saga(at);
    if (row.end_status !== null) return;
    const why = { failed_step_id: storable(failed_step_id), end_reason: storable(reason), error: json(error) };
    Object.assign(row, { end_status: status, ...why, ended_at_ms });
  }

  private undone(at: UndoEvent): void {
    this.saga(at).compensating = true;
    const row = this.step(at);
    row.call_id ??= storable(at.event.of_call_id);
    row.undo_tool ??= storable(at.event.tool);
    row.undo_call_id ??= storable(at.event.call_id);
    if (at.event_type === 'compensation_requested') row.undo_requested_at_ms ??= at.event.requested_at_ms;
    else if (row.undo_end === null && at.event_type === 'compensation_executed')
      Object.assign(row, { undo_end: 'executed', undo_ended_at_ms: at.event.executed_at_ms });
    else if (row.undo_end === null && at.event_type === 'compensation_failed')
      Object.assign(row, { undo_end: 'failed', undo_error: json(at.event.error), undo_ended_at_ms: at.event.failed_at_ms });
  }

  private saga({ event: { meta, saga_id, case_id }, partition, offset }: SagaEvent): SagaWrite {
    const key = `${meta.tenant_id} ${saga_id}`;
    const known = this.sagas.get(key);
    if (known) return known;
    const nothing = { definition: null, definition_version: null, steps: null, started_by: null, started_at_ms: null };
    const no_end = { end_status: null, failed_step_id: null, end_reason: null, error: null, ended_at_ms: null };
    const own = { tenant_id: storable(meta.tenant_id), saga_id: storable(saga_id), case_id: storable(case_id) };
    const row = { ...own, ...nothing, compensating: false, ...no_end, source_partition: partition, source_offset: offset };
    this.sagas.set(key, row);
    return row;
  }

  private step({ event: { meta, saga_id, step_id, iteration, attempt }, offset }: StepEvent): SagaStepWrite {
    const key = JSON.stringify([meta.tenant_id, saga_id, step_id, iteration, attempt]);
    const known = this.steps.get(key);
    if (known) return known;
    const own = { tenant_id: storable(meta.tenant_id), saga_id: storable(saga_id), step_id: storable(step_id), iteration, attempt };
    const forward = { tool: null, call_id: null, status: null, error: null, ended_at_ms: null };
    const undo = {
      undo_tool: null,
      undo_call_id: null,
      undo_requested_at_ms: null,
      undo_end: null,
      undo_error: null,
      undo_ended_at_ms: null,
    };
    const row = { ...own, ...forward, ...undo, source_offset: offset };
    this.steps.set(key, row);
    return row;
  }

  statements(): Statement[] {
    return [...inChunks([...this.sagas.values()], upsertSagas), ...inChunks([...this.steps.values()], upsertSagaSteps)];
  }
}

/** Sagas, their step runs and compensations. */
export const saga: Projection = { set, empty: () => new PendingSagas() };
