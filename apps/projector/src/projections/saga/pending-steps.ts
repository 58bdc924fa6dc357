import type { SagaUndoneEffect } from '@countersign/contracts';
import { isTicketAct, type TicketAct } from '@countersign/domain';
import {
  decideSagaUndos,
  endSagaSteps,
  recordSagaEvidence,
  recordSagaUndoEvidence,
  type SagaStepWrite,
  type SagaUndoState,
  type Statement,
  upsertSagaSteps,
} from '@countersign/store';
import { inChunks, newAndOthers, storable } from '../projection.js';
import { keyOf, type SagaEvent, type SagaEventOf, sagaOf, storableJson } from './saga-event.js';

type UndoEvent = SagaEventOf<'compensation_requested' | 'compensation_executed' | 'compensation_failed'>;
type RunEvent = UndoEvent | SagaEventOf<'saga_step_requested' | 'saga_step_cancel_requested' | 'saga_step_ended'>;

type RunOf = Pick<RunEvent['event'], 'step_id' | 'iteration' | 'attempt'>;

/** A row that reports nothing yet. A literal, so that its properties are allocated at once. */
function emptyRow(at: SagaEvent, { step_id, iteration, attempt }: RunOf): SagaStepWrite {
  const { tenant_id, saga_id } = sagaOf(at);
  return {
    tenant_id,
    saga_id,
    step_id: storable(step_id),
    iteration,
    attempt,
    level: null,
    tool: null,
    version: null,
    call_id: null,
    requested_at_ms: null,
    requested_offset: null,
    deadline_at_ms: null,
    is_irreversible: null,
    compensation_tool: null,
    repairs: null,
    cancel_requested: false,
    status: null,
    effect: null,
    error: null,
    ended_at_ms: null,
    end_offset: null,
    is_late: null,
    evidence_offset: null,
    undo_tool: null,
    undo_version: null,
    undo_call_id: null,
    undo_requested_at_ms: null,
    undo_state: null,
    undo_error: null,
    undo_ended_at_ms: null,
    undo_offset: null,
    source_offset: at.offset,
  };
}

const STUCK: ReadonlySet<SagaUndoState | null> = new Set(['failed', 'unconfirmed', 'missing']);
const DECISIONS = { retry: 'again', accept: 'accepted', done_by_hand: 'by_hand' } as const satisfies Record<TicketAct, SagaUndoState>;

/** The rows of `saga_steps`. Evidence and decisions of people also change rows of earlier writes, so that they are updates. */
export class PendingSteps {
  /** By saga, then by attempt of a step. */
  private readonly rows = new Map<string, Map<string, SagaStepWrite>>();
  private readonly updates: Statement[] = [];

  fold(at: SagaEvent): void {
    switch (at.event_type) {
      case 'saga_started':
        for (const effect of at.event.undoes) earlier(this.row(at, { ...effect, iteration: 1, attempt: 1 }), effect, at.offset);
        break;
      case 'saga_step_requested':
        requested(this.of(at), at);
        break;
      case 'saga_step_cancel_requested':
        this.of(at).cancel_requested = true;
        break;
      case 'saga_step_ended':
        ended(this.of(at), at);
        break;
      case 'compensation_requested':
      case 'compensation_executed':
      case 'compensation_failed':
        undone(this.of(at), at);
        break;
      case 'saga_evidence_recorded':
        this.evidence(at);
        break;
      case 'saga_controlled':
        this.decided(at);
        break;
    }
  }

  private evidence(at: SagaEventOf<'saga_evidence_recorded'>): void {
    const { direction, happened, call_id } = at.event;
    if (call_id === null) return;
    const about = { ...sagaOf(at), call_id: storable(call_id), offset: at.offset, happened };
    const row = [...this.own(at)].find((each) => each.call_id === about.call_id);
    if (row && direction === 'forward') known(row, at.offset, happened);
    else if (row && row.undo_state !== null) Object.assign(row, { undo_state: happened ? 'executed' : 'failed', undo_offset: at.offset });
    this.updates.push(direction === 'forward' ? recordSagaEvidence(about) : recordSagaUndoEvidence(about));
  }

  private decided(at: SagaEventOf<'saga_controlled'>): void {
    const { act } = at.event;
    if (!isTicketAct(act)) return;
    const decision = { ...sagaOf(at), step_id: storable(at.event.step_id), offset: at.offset, undo_state: DECISIONS[act] };
    for (const row of this.own(at))
      if (STUCK.has(row.undo_state) && (decision.step_id === null || row.step_id === decision.step_id))
        Object.assign(row, { undo_state: decision.undo_state, undo_offset: at.offset });
    this.updates.push(decideSagaUndos(decision));
  }

  /** The pending rows of the saga of an event. */
  private own(at: SagaEvent): Iterable<SagaStepWrite> {
    return this.rows.get(keyOf(at))?.values() ?? [];
  }

  private of(at: RunEvent): SagaStepWrite {
    return this.row(at, at.event);
  }

  private row(at: SagaEvent, which: RunOf): SagaStepWrite {
    const saga = keyOf(at);
    const own: Map<string, SagaStepWrite> = this.rows.get(saga) ?? new Map();
    if (own.size === 0) this.rows.set(saga, own);
    const { step_id, iteration, attempt } = which;
    const key = `${iteration}/${attempt}/${storable(step_id)}`;
    const known = own.get(key);
    if (known) return known;
    const row = emptyRow(at, which);
    own.set(key, row);
    return row;
  }

  /** Most rows are new, or are only ended: each kind has a cheaper statement than that for all. */
  statements(): Statement[] {
    const [begun, ended, others]: [SagaStepWrite[], SagaStepWrite[], SagaStepWrite[]] = [[], [], []];
    for (const own of this.rows.values())
      for (const row of own.values()) {
        if (row.requested_offset !== null) begun.push(row);
        else if (row.undo_offset === null) ended.push(row);
        else others.push(row);
      }
    return [
      ...newAndOthers(begun, () => true, upsertSagaSteps),
      ...inChunks(ended, endSagaSteps),
      ...inChunks(others, upsertSagaSteps),
      ...this.updates,
    ];
  }
}

/** A call that ran before the saga, which undoes it. */
function earlier(row: SagaStepWrite, effect: SagaUndoneEffect, offset: number): void {
  const { call_id, tool, version, happened_at_ms } = effect;
  const what = { level: 0, tool: storable(tool), version: storable(version), call_id: storable(call_id), requested_offset: offset };
  const how = { is_irreversible: false, compensation_tool: storable(tool), ended_at_ms: happened_at_ms };
  Object.assign(row, { ...what, ...how, status: 'succeeded', effect: 'happened', end_offset: offset, is_late: false });
}

function requested(row: SagaStepWrite, { event, offset }: SagaEventOf<'saga_step_requested'>): void {
  if (row.requested_offset !== null) return;
  row.level = event.level;
  row.tool = storable(event.tool);
  row.version = storable(event.version);
  row.call_id = storable(event.call_id);
  row.requested_at_ms = event.requested_at_ms;
  row.requested_offset = offset;
  row.deadline_at_ms = event.deadline_at_ms;
  row.is_irreversible = event.is_irreversible;
  row.compensation_tool = storable(event.compensation_tool);
  row.repairs = event.repairs.length > 0 ? storableJson(event.repairs) : null;
}

function ended(row: SagaStepWrite, { event, offset }: SagaEventOf<'saga_step_ended'>): void {
  const { level, tool, call_id, status, effect, error, ended_at_ms } = event;
  row.level ??= level;
  row.tool ??= storable(tool);
  row.call_id ??= storable(call_id);
  if (row.status !== null) return;
  row.status = status;
  row.effect = effect;
  row.error = storableJson(error);
  row.ended_at_ms = ended_at_ms;
  row.end_offset = offset;
  row.is_late = false;
}

/** Evidence on a call that has ended: it resolves a doubt, or is late. As `recordSagaEvidence`. */
function known(row: SagaStepWrite, offset: number, happened: boolean): void {
  if (row.status === null) return;
  row.evidence_offset = offset;
  if (row.effect !== 'unknown') Object.assign(row, { effect: 'happened', is_late: true });
  else Object.assign(row, { status: happened ? 'succeeded' : 'failed', effect: happened ? 'happened' : 'none', end_offset: offset });
}

function undone(row: SagaStepWrite, at: UndoEvent): void {
  const { of_call_id, tool, version, call_id } = at.event;
  row.call_id ??= storable(of_call_id);
  row.undo_offset = at.offset;
  row.undo_tool = storable(tool) ?? row.undo_tool;
  row.undo_version = storable(version) ?? row.undo_version;
  row.undo_call_id = storable(call_id) ?? row.undo_call_id;
  if (at.event_type === 'compensation_requested') {
    const { requested_at_ms } = at.event;
    Object.assign(row, { undo_state: 'requested', undo_requested_at_ms: requested_at_ms, undo_error: null, undo_ended_at_ms: null });
  } else if (at.event_type === 'compensation_executed')
    Object.assign(row, { undo_state: 'executed', undo_error: null, undo_ended_at_ms: at.event.executed_at_ms });
  else {
    const { failure, error, failed_at_ms } = at.event;
    Object.assign(row, { undo_state: failure ?? 'failed', undo_error: storableJson(error), undo_ended_at_ms: failed_at_ms });
  }
}
