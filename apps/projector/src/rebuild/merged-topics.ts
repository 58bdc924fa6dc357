import type { PlacedEvent } from '@countersign/domain';
import type { BatchDecoder, EventLog } from '@countersign/event-log';
import { unfoldable } from '../folding/storable-event.js';

const READ_AT_ONCE = 500;

/** The records of one topic from one offset up to another. */
export interface Stretch {
  topic: string;
  from: number;
  to: number;
}

interface Open extends Stretch {
  events: readonly PlacedEvent[];
  at: number;
}

/**
 * Reads several topics of one partition as one, causes before effects (by hlc) as far as the order inside each topic
 * allows: calls are whole soon after they began, and few are open at once. What nobody can fold is left out, as it
 * was when it came.
 */
export class MergedTopics {
  private open: Open[];

  constructor(
    private readonly log: EventLog,
    private readonly decoder: BatchDecoder,
    private readonly partition: number,
    stretches: readonly Stretch[],
  ) {
    this.open = stretches.map((stretch) => ({ ...stretch, events: [], at: 0 }));
  }

  /** Up to `count` events; none at the end. */
  async next(count: number): Promise<PlacedEvent[]> {
    const events: PlacedEvent[] = [];
    while (events.length < count) {
      for (const topic of this.open) if (topic.at >= topic.events.length) await this.refill(topic);
      this.open = this.open.filter((topic) => topic.at < topic.events.length);
      if (this.open.length === 0) break;
      this.take(events, count);
    }
    return events;
  }

  /** Takes the oldest of all topics, one after the other, until one of them has to be read on. */
  private take(events: PlacedEvent[], count: number): void {
    while (events.length < count) {
      let oldest = this.open[0] as Open;
      for (const topic of this.open) if (hlcOf(topic) < hlcOf(oldest)) oldest = topic;
      events.push(oldest.events[oldest.at++] as PlacedEvent);
      if (oldest.at >= oldest.events.length) return;
    }
  }

  private async refill(topic: Open): Promise<void> {
    topic.events = [];
    topic.at = 0;
    topic.from ||= await this.log.first(topic.topic, this.partition);
    while (topic.events.length === 0 && topic.from < topic.to) {
      const records = await this.log.read(topic.topic, this.partition, topic.from, Math.min(READ_AT_ONCE, topic.to - topic.from));
      const last = records.at(-1);
      if (!last) return;
      const { events } = await this.decoder.decode(records);
      topic.from = last.offset + 1;
      topic.events = (events as readonly PlacedEvent[]).filter((at) => at.offset < topic.to && unfoldable(at) === undefined);
    }
  }
}

const hlcOf = ({ events, at }: Open): number => (events[at] as PlacedEvent).event.meta.hlc;
