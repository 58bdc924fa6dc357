import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { nameOf } from './causes.js';

/** The first record that stands after a later one of its call and topic: what a fold gives depends on their order. */
export function misplacedRecord(events: readonly PlacedEvent[]): string | undefined {
  const last = new Map<string, PlacedEvent>();
  for (const at of events) {
    if (at.event.meta.call_id === null) continue;
    const stream = `${at.topic}/${at.partition}/${at.event.meta.call_id}`;
    const before = last.get(stream);
    if (before && before.offset > at.offset)
      return `${nameOf(at)} stands after ${nameOf(before)}: the records are not in the order of the log`;
    last.set(stream, at);
  }
  return undefined;
}
