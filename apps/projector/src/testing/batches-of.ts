import type { PlacedEvent } from '@countersign/domain';
import type { EventBatch } from '@countersign/event-log';

/** Events as the transport delivers them, in partition 0 of one lane: one batch per topic. */
export function batchesOf(events: readonly PlacedEvent[]): EventBatch[] {
  return [...new Set(events.map(({ topic }) => topic))].map((topic) => {
    const own = events.filter((at) => at.topic === topic).map((at) => ({ ...at, traceparent: undefined }));
    return { topic, lane: 'shared', partition: 0, events: own, head: own.length } as EventBatch;
  });
}
