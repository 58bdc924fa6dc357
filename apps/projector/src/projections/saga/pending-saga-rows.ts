import { type SagaDefinition, sagaAnswersOf, sagaQuestionsOf } from '@countersign/domain';
import { advanceSagas, type SagaWrite, type Statement, upsertSagas } from '@countersign/store';
import { inChunks, newAndOthers, storable } from '../projection.js';
import { keyOf, type SagaEvent, type SagaEventOf, sagaOf, storableJson } from './saga-event.js';

/** Events that never directly follow the start and report nothing about the saga itself. */
const OF_STEPS: ReadonlySet<SagaEvent['event_type']> = new Set([
  ...(['saga_step_cancel_requested', 'saga_wait_ended', 'saga_ticket_opened', 'saga_evidence_recorded'] as const),
  ...(['compensation_requested', 'compensation_executed', 'compensation_failed'] as const),
]);

/** True if the event changes nothing in the row of its saga. */
function isOfStep(at: SagaEvent): boolean {
  return at.event_type === 'saga_step_ended' ? at.event.call_id !== null : OF_STEPS.has(at.event_type);
}

/** A row that reports nothing yet. A literal, so that its properties are allocated at once. */
function emptyRow(at: SagaEvent): SagaWrite {
  const { tenant_id, saga_id } = sagaOf(at);
  return {
    tenant_id,
    saga_id,
    case_id: storable(at.event.case_id),
    definition: null,
    definition_version: null,
    definition_digest: null,
    questions: null,
    answer_schemas: null,
    steps: null,
    started_by: null,
    on_behalf_of: null,
    started_at_ms: null,
    deadline_at_ms: null,
    wait_max_ms: null,
    request_digest: null,
    undoes: null,
    advanced: false,
    compensating: false,
    paused: false,
    paused_at_ms: null,
    paused_offset: null,
    end_status: null,
    failed_step_id: null,
    end_reason: null,
    error: null,
    ended_at_ms: null,
    source_partition: at.partition,
    source_offset: at.offset,
  };
}

/** What its waits ask, and what they may be answered. */
function waitsOf(definition_json: string | null): Pick<SagaWrite, 'questions' | 'answer_schemas'> {
  if (definition_json === null) return { questions: null, answer_schemas: null };
  try {
    const definition = JSON.parse(definition_json) as SagaDefinition;
    return { questions: storableJson(sagaQuestionsOf(definition)), answer_schemas: storableJson(sagaAnswersOf(definition)) };
  } catch {
    return { questions: null, answer_schemas: null };
  }
}

/** The rows of `sagas`. */
export class PendingSagaRows {
  private readonly rows = new Map<string, SagaWrite>();

  fold(at: SagaEvent): void {
    if (at.event_type === 'saga_request_refused' || isOfStep(at)) return;
    const row = this.of(at);
    if (at.event_type === 'saga_started') started(row, at);
    else row.advanced = true;
    if (at.event_type === 'saga_ended') ended(row, at);
    else if (at.event_type === 'saga_compensation_started') row.compensating = true;
    else if (at.event_type === 'saga_controlled') controlled(row, at);
    else if (at.event_type === 'saga_timer_fired' && at.event.timer === 'pause') paused(row, null, at.offset);
  }

  private of(at: SagaEvent): SagaWrite {
    const key = keyOf(at);
    const known = this.rows.get(key);
    if (known) return known;
    const row = emptyRow(at);
    this.rows.set(key, row);
    return row;
  }

  statements(): Statement[] {
    const rows = [...this.rows.values()];
    const begun = rows.filter(({ started_at_ms }) => started_at_ms !== null);
    const others = rows.filter(({ started_at_ms }) => started_at_ms === null);
    return [...newAndOthers(begun, () => true, upsertSagas), ...inChunks(others, advanceSagas)];
  }
}

function started(row: SagaWrite, { event }: SagaEventOf<'saga_started'>): void {
  if (row.started_at_ms !== null) return;
  row.definition = storable(event.definition);
  row.definition_version = storable(event.definition_version);
  row.definition_digest = storable(event.definition_digest);
  Object.assign(row, waitsOf(event.definition_json));
  row.steps = storableJson(event.steps);
  row.started_by = storableJson(event.by);
  row.on_behalf_of = storable(event.authority?.on_behalf_of?.id ?? null);
  row.started_at_ms = event.started_at_ms;
  row.deadline_at_ms = event.deadline_at_ms;
  row.wait_max_ms = event.wait_max_ms;
  row.request_digest = storable(event.request_digest);
  row.undoes = event.undoes.length;
  row.compensating ||= event.undoes.length > 0;
}

/** `at_ms`: since when it is paused; null: it is not. */
function paused(row: SagaWrite, at_ms: number | null, offset: number): void {
  row.paused = at_ms !== null;
  row.paused_at_ms = at_ms;
  row.paused_offset = offset;
}

function controlled(row: SagaWrite, { event: { act, controlled_at_ms }, offset }: SagaEventOf<'saga_controlled'>): void {
  if (act === 'pause') paused(row, controlled_at_ms, offset);
  else if (act === 'resume' || act === 'cancel') paused(row, null, offset);
}

function ended(row: SagaWrite, { event }: SagaEventOf<'saga_ended'>): void {
  if (row.end_status !== null) return;
  row.end_status = event.status;
  row.failed_step_id = storable(event.failed_step_id);
  row.end_reason = storable(event.reason);
  row.error = storableJson(event.error);
  row.ended_at_ms = event.ended_at_ms;
}
