import { canonicalText } from '@countersign/contracts/canonical-text';
import type { PlacedEvent } from '@countersign/domain/call/evolve';
import type { BundledRecord } from './bundle.js';
import type { RecordDecoder } from './record-decoder.js';

export const placeOf = ({ topic, partition, offset }: BundledRecord): string => `${topic}/${partition}/${offset}`;

/** The JSON form of an event. */
export function plain(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event));
}

/** True if the bundle shows this event. One that an earlier release made may lack the hash of the cause, if the event has none. */
function isShown(event: unknown, shown: unknown): boolean {
  if (canonicalText(event) === canonicalText(shown)) return true;
  const { meta, ...rest } = event as { meta: Record<string, unknown> };
  const { cause_hash, ...first } = meta;
  return cause_hash === null && canonicalText({ ...rest, meta: first }) === canonicalText(shown);
}

/** The event decoded from the record's bytes, if it equals the one in the bundle. */
export function readEvent(decoder: RecordDecoder, record: BundledRecord, value: Uint8Array): PlacedEvent | string {
  const { event_type, event } = decoder.decode(value);
  if (event_type !== record.event_type || !isShown(plain(event), record.event)) {
    return `${placeOf(record)}: the bundle shows something other than the record`;
  }
  const { topic, partition, offset, timestamp_ms } = record;
  return { event_type, event, topic, partition, offset, timestamp_ms } as PlacedEvent;
}
