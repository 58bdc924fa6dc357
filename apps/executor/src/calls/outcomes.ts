import { type CallError, callError, extrasOf, type Outcome, type OutcomeStatus } from '@countersign/contracts';
import { inDoubt, type Refusal } from '@countersign/domain';
import type { Issue, Job } from './job.js';

/** The parts of an outcome that differ; the others follow from the job. */
export type OutcomeParts = Pick<Outcome, 'status' | 'effect'> &
  Partial<Pick<Outcome, 'output_json' | 'error' | 'truncated' | 'warnings' | 'attachments' | 'extras'>>;

export function outcomeOf(job: Job, parts: OutcomeParts, now_ms: number): Outcome {
  const started_at_ms = job.started_at_ms || now_ms;
  return {
    status: parts.status,
    output_json: parts.output_json ?? null,
    error: parts.error ?? null,
    effect: parts.effect,
    started_at_ms,
    ended_at_ms: now_ms,
    duration_ms: Math.max(0, now_ms - started_at_ms),
    retry_count: job.resends,
    truncated: parts.truncated ?? false,
    attachments: parts.attachments ?? [],
    warnings: parts.warnings ?? [],
    extras: parts.status === 'failed' && !job.write ? extrasOf({ ...parts.extras, ran: job.fired_at_ms > 0 }) : (parts.extras ?? null),
  };
}

const refusals: Readonly<Record<Refusal, { status: OutcomeStatus; error: (issues: Issue[]) => CallError }>> = {
  expired: { status: 'expired', error: () => callError('TIMEOUT', 'the decision expired before the call could run; nothing was done') },
  deadline: { status: 'expired', error: () => callError('TIMEOUT', 'the deadline passed before the call could run; nothing was done') },
  cancelled: { status: 'cancelled', error: () => callError('CANCELLED', 'the call was cancelled before it ran; nothing was done') },
  idempotency_key_reused: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'the idempotency key was used with other inputs', { details: { reason: 'idempotency_key_reused' } }),
  },
  nothing_to_join: {
    status: 'failed',
    error: () => callError('UNKNOWN', 'the call that owns this idempotency key cannot be found', { retryable: true }),
  },
  approval_used: {
    status: 'failed',
    error: () => callError('POLICY_DENIED', 'the approval was already used by another call; an approval covers one call'),
  },
  edited_effect_taken: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'the edited inputs describe the effect of another call', {
        details: { reason: 'edited_effect_taken' },
      }),
  },
  unknown_tool: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'no executor of this lane has the tool', { class: 'not_found', details: { reason: 'unknown_tool' } }),
  },
  contract_changed: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'the tool contract changed after the policy decision', {
        retryable: true,
        details: { reason: 'contract_changed' },
      }),
  },
  subject_erased: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'the personal data of the call was erased before it ran; nothing was done', {
        details: { reason: 'subject_erased' },
      }),
  },
  record_unreadable: {
    status: 'failed',
    error: () =>
      callError('VALIDATION_ERROR', 'a record of the call cannot be read or decoded; nothing was done', {
        details: { reason: 'record_unreadable' },
      }),
  },
  bad_inputs: {
    status: 'failed',
    error: (issues) => callError('VALIDATION_ERROR', 'the inputs do not match the schema', { details: { layer: 'executor', issues } }),
  },
};

/** The outcome of a call that never ran. */
export function refusedOutcome(job: Job, why: Refusal, issues: Issue[], now_ms: number): Outcome {
  const { status, error } = refusals[why];
  return outcomeOf(job, { status, error: error(issues), effect: 'none' }, now_ms);
}

export function cancelledOutcome(job: Job, now_ms: number): Outcome {
  return outcomeOf(
    job,
    { status: 'cancelled', error: callError('CANCELLED', 'the call was cancelled; nothing changed'), effect: 'none' },
    now_ms,
  );
}

export function doubtOutcome(job: Job, error: CallError | null, now_ms: number): Outcome {
  return outcomeOf(job, { status: 'in_doubt', error: error ?? inDoubt(null), effect: 'unknown' }, now_ms);
}
