import type { SagaFact } from '../../saga/running/facts.js';
import { runsOf, type SagaState, stands } from '../../saga/running/state.js';

/** Records of a faulty decider. */
export const sagaFaults = [
  'sends a retry under a new key',
  'takes a doubt for a failure',
  'undoes the oldest effect first',
  'forgets an effect',
  'ends twice',
  'passes over a level without a record',
] as const;
export type SagaFault = (typeof sagaFaults)[number];

const changed = (fact: SagaFact, body: object): SagaFact => ({ ...fact, body: { ...fact.body, ...body } }) as SagaFact;

/** The fact, changed by the fault. */
export function planted(fault: SagaFault | undefined, before: SagaState, fact: SagaFact): SagaFact {
  const { event_type, body } = fact;
  if (fault === 'sends a retry under a new key' && event_type === 'saga_step_requested' && body.attempt > 1)
    return changed(fact, { key: `${body.key} ${body.attempt}` });
  if (fault === 'takes a doubt for a failure' && event_type === 'saga_step_ended' && body.effect === 'unknown')
    return changed(fact, { effect: 'none', status: 'failed' });
  if (fault === 'undoes the oldest effect first' && event_type === 'compensation_requested' && before) {
    const oldest = runsOf(before).find((run) => stands(run) && run.undo === null);
    return changed(fact, { of_call_id: oldest?.call_id ?? body.of_call_id });
  }
  if (fault === 'forgets an effect' && event_type === 'saga_step_ended' && body.status === 'succeeded' && body.effect === 'happened')
    return changed(fact, { effect: 'none' });
  if (fault === 'ends twice' && event_type === 'saga_ticket_opened' && before)
    return { event_type: 'saga_ended', body: { ...noEnd, saga_id: before.saga_id, case_id: null, ended_at_ms: 0 } };
  if (fault === 'passes over a level without a record' && event_type === 'saga_level_skipped')
    return changed(fact, { level: body.level + 1 });
  return fact;
}

const noEnd = { status: 'aborted', failed_step_id: null, pivot_step_id: null, error: null, reason: null } as const;
