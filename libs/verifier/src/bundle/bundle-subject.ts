import type { PlacedEvent } from '@countersign/domain/call/evolve';
import type { Bundle } from './bundle.js';

/** Why the records do not match the subject of the bundle; undefined if they do. */
export function strangeSubject({ subject, calls }: Bundle, events: readonly PlacedEvent[]): string | undefined {
  const cases = new Map<string | null, string | null>();
  for (const at of events) if (at.event_type === 'tool_call_requested') cases.set(at.event.meta.call_id, at.event.call.case_id);
  const call_ids = calls.map(({ call_id }) => call_id);
  if (new Set(call_ids).size !== call_ids.length) return 'a call is shown twice';
  const unrequested = call_ids.find((call_id) => !cases.has(call_id));
  if (unrequested !== undefined) return `call ${unrequested} lacks the record of its request`;
  const { call_id, case_id, ...more } = subject as Record<string, unknown>;
  if (Object.keys(more).length > 0 || (call_id === undefined) === (case_id === undefined))
    return 'the subject names neither a call nor a case';
  if (call_id !== undefined) {
    return call_ids.length === 1 && call_ids[0] === call_id ? undefined : 'the calls shown are not the call that the bundle is about';
  }
  const stray = call_ids.find((one) => cases.get(one) !== case_id);
  return call_ids.length === 0 || stray !== undefined ? 'the calls shown are not of the case that the bundle is about' : undefined;
}
