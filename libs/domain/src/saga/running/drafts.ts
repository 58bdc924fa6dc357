import type { Bare, SagaEventType, SagaFact } from './facts.js';
import type { Run, RunningSaga } from './state.js';

/** A fact of this saga. A literal with its one spread in front is built at once; others grow property by property. */
export function fact<T extends SagaEventType>({ saga_id, case_id }: RunningSaga, event_type: T, body: Bare<T>): SagaFact {
  return { event_type, body: { ...body, saga_id, case_id } } as unknown as SagaFact;
}

/** Identifies a run of a step. */
export const ofRun = ({ step_id, attempt }: Run) => ({ step_id, iteration: 1, attempt });

/** The reason of a cancellation because the step's share of the time is over. */
export const STEP_DEADLINE = 'step_deadline';

export function cancelRun(saga: RunningSaga, run: Run, reason: string, requested_at_ms: number): SagaFact {
  return fact(saga, 'saga_step_cancel_requested', { ...ofRun(run), call_id: run.call_id, reason, requested_at_ms });
}

export function endWait(saga: RunningSaga, step_id: string, ended_as: 'expired' | 'withdrawn' | 'answered', ended_at_ms: number): SagaFact {
  const nobody = { answer_json: null, reason: null, by: null, command_id: null, source: null };
  return fact(saga, 'saga_wait_ended', { step_id, ended_as, ...nobody, ended_at_ms });
}

export function openTicket(
  saga: RunningSaga,
  ticket: SagaFact<'saga_ticket_opened'>['body']['ticket'],
  about: { step_id: string | null; call_id: string | null },
  opened_at_ms: number,
): SagaFact {
  const { step_id, call_id } = about;
  return fact(saga, 'saga_ticket_opened', { ticket, step_id, call_id, opened_at_ms });
}

export function undoFailed(
  saga: RunningSaga,
  run: Run,
  failure: SagaFact<'compensation_failed'>['body']['failure'],
  at: Partial<Bare<'compensation_failed'>> & { failed_at_ms: number },
): SagaFact {
  const { call_id = null, tool = null, version = null } = run.undo ?? {};
  const message =
    failure === 'missing'
      ? `step ${run.step_id} has no compensation: undo it by hand`
      : `the compensation of step ${run.step_id} did not take effect`;
  const error = { code: 'UNKNOWN', class: 'semantic', message, details_json: null, retryable: false, retry_after_s: null } as const;
  const whole = { call_id, of_call_id: run.call_id, tool, version, failure, error, retry_count: 0 };
  return fact(saga, 'compensation_failed', { ...ofRun(run), ...whole, ...at });
}
