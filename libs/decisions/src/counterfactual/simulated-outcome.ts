import { callError, extrasOf, type Outcome, type ToolContract } from '@countersign/contracts';
import { answersFromOutside, flagsOf, scanForInjection } from '@countersign/domain';
import type { ResultChange } from './change.js';
import type { RunEvent } from './recorded-calls.js';

/** A copy of a run record, shifted in time. */
export function shifted(event: RunEvent, shift_ms: number): RunEvent {
  if (event.event_type === 'tool_call_started') {
    const { fired_at_ms, settle_at_ms } = event.event;
    return { ...event, event: { ...event.event, fired_at_ms: fired_at_ms + shift_ms, settle_at_ms: settle_at_ms + shift_ms } };
  }
  const { outcome } = event.event;
  const { started_at_ms, ended_at_ms } = outcome;
  const moved = { ...outcome, started_at_ms: started_at_ms + shift_ms, ended_at_ms: ended_at_ms + shift_ms };
  return { ...event, event: { ...event.event, outcome: moved } } as RunEvent;
}

/** A synthetic outcome: nothing ran, or only the status is known. */
export function endedAs(status: 'succeeded' | 'expired' | 'cancelled', at_ms: number): Outcome {
  const why = status === 'expired' ? 'it expired before it could start' : 'it was cancelled before it could start';
  return {
    status,
    output_json: null,
    error: status === 'succeeded' ? null : callError(status === 'expired' ? 'TIMEOUT' : 'CANCELLED', why),
    effect: status === 'succeeded' ? 'happened' : 'none',
    started_at_ms: at_ms,
    ended_at_ms: at_ms,
    duration_ms: 0,
    retry_count: 0,
    truncated: false,
    attachments: [],
    warnings: [],
    extras: null,
  };
}

/** The outcome with the replaced result, searched for patterns of injection as the executor does. A failure has no effect. */
export function replacedBy({ status, output_json, error }: ResultChange, outcome: Outcome, contract: ToolContract | undefined): Outcome {
  const effect = status === 'succeeded' ? 'happened' : 'none';
  const answer = [output_json, error?.details_json ?? null].map((json) => (json === null ? null : JSON.parse(json)));
  const is_searched = contract === undefined || answersFromOutside(contract);
  const flags = is_searched ? flagsOf(scanForInjection([...answer, error?.message])) : [];
  const extras = outcome.extras || flags.length > 0 ? extrasOf({ ...outcome.extras, flags }) : null;
  return { ...outcome, status, output_json, error, effect, attachments: [], truncated: false, extras };
}
