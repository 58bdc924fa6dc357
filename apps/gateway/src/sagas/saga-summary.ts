import type { EventMap, Principal } from '@countersign/contracts';
import type { SagaRow } from '@countersign/store';
import { isoOf } from '../answers/shared-schemas.js';
import type { SagaSummary } from './sagas.schemas.js';

export const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Kind and id of a recorded principal. */
export function nameOf(text: string | null): SagaSummary['started_by'] {
  if (text === null) return null;
  const { kind, id } = JSON.parse(text) as Principal;
  return { kind, id };
}

const namedDefinition = (name: string | null, version: string | null) => (name === null ? null : { name, version });

/** A saga as the views show it. */
export function summaryOf(row: SagaRow): SagaSummary {
  const { saga_id, case_id, status, definition, definition_version, definition_digest, on_behalf_of, paused, failed_step_id } = row;
  return {
    ...{ saga_id, case_id, status, definition: namedDefinition(definition, definition_version), definition_digest },
    ...{ started_by: nameOf(row.started_by), on_behalf_of, started_at: isoOf(row.started_at_ms) },
    ...{ deadline_at: isoOf(row.deadline_at_ms), paused, ended_at: isoOf(row.ended_at_ms) },
    ...{ failed_step_id, reason: row.end_reason, error: parsed(row.error) },
    undoes: row.undoes ?? 0,
  };
}

/** A saga as its records show it: from its start, and its end if it has one. The views may not show it yet. */
export function recordedSummary(started: EventMap['saga_started'], end: EventMap['saga_ended'] | undefined): SagaSummary {
  const summary = startedSummary(started);
  if (!end) return summary;
  const { status, ended_at_ms, failed_step_id, reason, error } = end;
  return { ...summary, status, ended_at: isoOf(ended_at_ms), failed_step_id, reason, error };
}

function startedSummary(event: EventMap['saga_started']): SagaSummary {
  const { saga_id, case_id, definition, definition_version, definition_digest, by, authority, started_at_ms, deadline_at_ms, undoes } =
    event;
  return {
    ...{ saga_id, case_id, status: 'pending', definition: namedDefinition(definition, definition_version), definition_digest },
    ...{ started_by: { kind: by.kind, id: by.id }, on_behalf_of: authority?.on_behalf_of?.id ?? null, started_at: isoOf(started_at_ms) },
    ...{ deadline_at: isoOf(deadline_at_ms), paused: false, ended_at: null, failed_step_id: null, reason: null, error: null },
    undoes: undoes.length,
  };
}
