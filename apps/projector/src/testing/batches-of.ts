import type { PlacedEvent } from '@countersign/domain';
import type { EventBatch } from '@countersign/event-log';

/** Events as the transport hands them over, of partition 0 in one lane: one batch a topic. */
export function batchesOf(events: readonly PlacedEvent[]): EventBatch[] {
  return [...new Set(events.map(({ topic }) => topic))].map((topic) => {
    const own = events.filter((at) => at.topic === topic).map((at) => ({ ...at, traceparent: undefined }));
    return { topic, lane: 'shared', partition: 0, events: own, head: own.length } as EventBatch;
  });
}
