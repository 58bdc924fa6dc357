import type { EventCodec, EventMap } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';

/** The tenant whose people run the installation. */
export const INSTALLATION = 'default';

type SecurityEvent = EventMap['security_event_recorded'];

/** The record of something that people who watch over security should see. `times`: alike ones that it stands for, 1 unless given. */
export function securityRecord(
  codec: EventCodec,
  key: string | null,
  event: Omit<SecurityEvent, 'times'> & Partial<Pick<SecurityEvent, 'times'>>,
): NewRecord {
  const value = codec.encode('security_event_recorded', { times: 1, ...event });
  return { topic: 'security-event', partition: 0, key, value, headers: { event_type: 'security_event_recorded' } };
}
