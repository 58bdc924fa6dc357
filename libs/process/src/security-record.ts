import type { EventCodec, EventMap } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';

type SecurityEvent = EventMap['security_event_recorded'];

/** The record of an event for security staff. `times`: number of equal events that it represents, 1 by default. */
export function securityRecord(
  codec: EventCodec,
  key: string | null,
  event: Omit<SecurityEvent, 'times'> & Partial<Pick<SecurityEvent, 'times'>>,
): NewRecord {
  const value = codec.encode('security_event_recorded', { times: 1, ...event });
  return { topic: 'security-event', partition: 0, key, value, headers: { event_type: 'security_event_recorded' } };
}
