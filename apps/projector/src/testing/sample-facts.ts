import type { Outcome, OutcomeStatus, Principal } from '@countersign/contracts';

export const by: Principal = { kind: 'user', id: 'anna', roles: ['approver'] };

/** The context that an agent sends with its call. */
export const context = {
  agent: 'a',
  run_id: null,
  step_id: null,
  request_id: null,
  seq: null,
  iteration: null,
  rationale: 'because',
  skill: null,
} as const;

export function outcome(status: OutcomeStatus): Outcome {
  const times = { started_at_ms: 1, ended_at_ms: 2, duration_ms: 1 };
  const output_json = status === 'succeeded' ? '{"ok":true}' : null;
  return {
    status,
    output_json,
    error: null,
    effect: 'happened',
    ...times,
    retry_count: 0,
    truncated: false,
    attachments: [],
    warnings: [],
    extras: null,
  };
}
