import { type SagaDefinition, sagaQuestionsOf } from '@countersign/domain';
import { type SagaWrite, type Statement, upsertSagas } from '@countersign/store';
import { inChunks, storable } from '../projection.js';
import { type SagaEvent, type SagaEventOf, sagaOf, storableJson } from './saga-event.js';

const NOTHING = {
  ...{ definition: null, definition_version: null, definition_digest: null, questions: null, steps: null, started_by: null },
  ...{ on_behalf_of: null, started_at_ms: null, deadline_at_ms: null, wait_max_ms: null, request_digest: null },
  ...{ advanced: false, compensating: false, paused: false, paused_at_ms: null, paused_offset: null },
  ...{ end_status: null, failed_step_id: null, end_reason: null, error: null, ended_at_ms: null },
};

/** What its waits ask. */
function questionsOf(definition_json: string | null): string | null {
  if (definition_json === null) return null;
  try {
    return storableJson(sagaQuestionsOf(JSON.parse(definition_json) as SagaDefinition));
  } catch {
    return null;
  }
}

/** The rows of `sagas`. */
export class PendingSagaRows {
  private readonly rows = new Map<string, SagaWrite>();

  fold(at: SagaEvent): void {
    if (at.event_type === 'saga_request_refused') return;
    const row = this.of(at);
    if (at.event_type === 'saga_started') started(row, at);
    else row.advanced = true;
    if (at.event_type === 'saga_ended') ended(row, at);
    else if (at.event_type === 'saga_compensation_started') row.compensating = true;
    else if (at.event_type === 'saga_controlled') controlled(row, at);
    else if (at.event_type === 'saga_timer_fired' && at.event.timer === 'pause')
      Object.assign(row, { paused: false, paused_at_ms: null, paused_offset: at.offset });
  }

  private of(at: SagaEvent): SagaWrite {
    const own = sagaOf(at);
    const key = `${own.tenant_id} ${own.saga_id}`;
    const known = this.rows.get(key);
    if (known) return known;
    const place = { source_partition: at.partition, source_offset: at.offset };
    const row: SagaWrite = { ...own, case_id: storable(at.event.case_id), ...NOTHING, ...place };
    this.rows.set(key, row);
    return row;
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], upsertSagas);
  }
}

function started(row: SagaWrite, { event }: SagaEventOf<'saga_started'>): void {
  if (row.started_at_ms !== null) return;
  const { definition, definition_version, definition_digest, definition_json, steps, by, authority } = event;
  const { started_at_ms, deadline_at_ms, wait_max_ms, request_digest } = event;
  Object.assign(row, {
    ...{ definition: storable(definition), definition_version: storable(definition_version) },
    ...{ definition_digest: storable(definition_digest), questions: questionsOf(definition_json), steps: storableJson(steps) },
    ...{ started_by: storableJson(by), on_behalf_of: storable(authority?.on_behalf_of?.id ?? null) },
    ...{ started_at_ms, deadline_at_ms, wait_max_ms, request_digest: storable(request_digest) },
  });
}

function controlled(row: SagaWrite, { event: { act, controlled_at_ms }, offset }: SagaEventOf<'saga_controlled'>): void {
  if (act === 'pause') Object.assign(row, { paused: true, paused_at_ms: controlled_at_ms, paused_offset: offset });
  else if (act === 'resume' || act === 'cancel') Object.assign(row, { paused: false, paused_at_ms: null, paused_offset: offset });
}

function ended(row: SagaWrite, { event }: SagaEventOf<'saga_ended'>): void {
  if (row.end_status !== null) return;
  const { status, failed_step_id, error, reason, ended_at_ms } = event;
  const why = { failed_step_id: storable(failed_step_id), end_reason: storable(reason), error: storableJson(error) };
  Object.assign(row, { end_status: status, ...why, ended_at_ms });
}
