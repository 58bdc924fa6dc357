import type { EventType } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';

/** An event as it was read from the log (libs/event-log's Recorded fits). */
export type ReadEvent<T extends EventType = EventType> = Extract<PlacedEvent, { event_type: T }> & { traceparent: string | undefined };
