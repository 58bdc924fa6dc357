import { instanceOf } from '@countersign/domain';
import type { ReadSaga, SagaSkipWrite, SagaStepWrite, SagaUndoState, SagaWaitRow } from '@countersign/store';
import { isoOf } from '../answers/shared-schemas.js';
import { nameOf, parsed, summaryOf } from './saga-summary.js';
import { callLink, ticketOf } from './saga-ticket.js';
import type { SagaStepAnswer, SagaWaitAnswer, SagaWithSteps } from './sagas.schemas.js';

type Compensation = NonNullable<SagaStepAnswer['compensation']>;
const undoStates: Readonly<Record<SagaUndoState, Compensation['status']>> = {
  ...{ requested: 'requested', executed: 'executed', failed: 'failed', unconfirmed: 'unconfirmed', missing: 'missing' },
  ...{ again: 'retry_requested', by_hand: 'done_by_hand', accepted: 'accepted' },
};

function compensationOf(row: SagaStepWrite): Compensation | null {
  const { undo_state, undo_tool: tool, undo_version: version, undo_call_id: call_id } = row;
  if (undo_state === null) return null;
  return {
    ...{ tool, version, call_id, call: callLink(call_id), status: undoStates[undo_state] },
    ...{ requested_at: isoOf(row.undo_requested_at_ms), ended_at: isoOf(row.undo_ended_at_ms), error: parsed(row.undo_error) },
  };
}

function stepOf(row: SagaStepWrite): SagaStepAnswer {
  const { step_id, attempt, level, tool, version, call_id, is_irreversible, cancel_requested, status, effect } = row;
  return {
    ...{ step_id, attempt, level, tool, version, call_id, call: callLink(call_id) },
    ...{ requested_at: isoOf(row.requested_at_ms), deadline_at: isoOf(row.deadline_at_ms), is_irreversible, cancel_requested },
    repairs: (parsed(row.repairs) ?? []) as string[],
    ...{ status, effect, error: parsed(row.error), ended_at: isoOf(row.ended_at_ms), compensation: compensationOf(row) },
  };
}

const TAKES_ANSWER: ReadonlySet<SagaWaitRow['wait']> = new Set(['approval', 'event', 'manual']);

function waitOf(row: SagaWaitRow, questions: Readonly<Record<string, string>>, schemas: Readonly<Record<string, unknown>>): SagaWaitAnswer {
  const { saga_id, step_id, wait, event_name, until_ms, opened_at_ms, ended_as } = row;
  const isAsked = wait === 'approval' || wait === 'manual';
  const { name } = instanceOf(step_id);
  const question = isAsked && Object.hasOwn(questions, name) ? (questions[name] as string) : null;
  const takesAnswer = ended_as === null && TAKES_ANSWER.has(wait);
  return {
    ...{ step_id, wait, question, event: event_name, until: new Date(until_ms).toISOString() },
    ...{ opened_at: new Date(opened_at_ms).toISOString(), ended_as, ended_by: nameOf(row.ended_by), ended_at: isoOf(row.ended_at_ms) },
    answer_schema: takesAnswer && Object.hasOwn(schemas, name) ? schemas[name] : null,
    ...{ reason: row.end_reason, answer_at: takesAnswer ? `/v1/sagas/${saga_id}/waits/${encodeURIComponent(step_id)}` : null },
  };
}

const skippedOf = ({ step_id, level, tool, version, reason, skipped_at_ms }: SagaSkipWrite): SagaWithSteps['skipped_levels'][number] => ({
  ...{ step_id, level, tool, version, reason },
  skipped_at: new Date(skipped_at_ms).toISOString(),
});

/** The newest irreversible step that took effect. */
function pivotOf(steps: readonly SagaStepWrite[]): string | null {
  const pivots = steps.filter(({ is_irreversible, effect }) => is_irreversible && effect === 'happened');
  return pivots.sort((a, b) => (b.end_offset ?? 0) - (a.end_offset ?? 0))[0]?.step_id ?? null;
}

/** A saga with its steps, waits and tickets. */
export function detailsOf({ saga, steps, waits, tickets, skips }: ReadSaga): SagaWithSteps {
  const asked = (parsed(saga.questions) ?? {}) as Readonly<Record<string, string>>;
  const schemas = (parsed(saga.answer_schemas) ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...summaryOf(saga),
    pivot_step_id: pivotOf(steps),
    steps: steps.map(stepOf),
    skipped_levels: skips.map(skippedOf),
    waits: waits.map((row) => waitOf(row, asked, schemas)),
    tickets: tickets.map(ticketOf),
  };
}
