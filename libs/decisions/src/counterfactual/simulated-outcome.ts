import { callError, type Outcome } from '@countersign/contracts';
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

/** The outcome with the replaced result. A failure has no effect. */
export function replacedBy({ status, output_json, error }: ResultChange, outcome: Outcome): Outcome {
  const effect = status === 'succeeded' ? 'happened' : 'none';
  return { ...outcome, status, output_json, error, effect, attachments: [], truncated: false };
}
