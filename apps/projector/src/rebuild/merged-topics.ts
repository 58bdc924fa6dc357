import type { PlacedEvent } from '@countersign/domain';
import type { BatchDecoder, EventLog, LogRecord } from '@countersign/event-log';
import { unfoldable } from '../folding/storable-event.js';

const READ_AT_ONCE = 500;

/** The records of one topic from one offset up to another. */
export interface Stretch {
  topic: string;
  from: number;
  to: number;
}

interface Open extends Stretch {
  /** Read and not decoded yet: an event is many times the size of its record. */
  records: readonly LogRecord[];
  at: number;
  /** The oldest that is left of it; undefined where it has to be read on. */
  next: PlacedEvent | undefined;
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
    this.open = stretches.map((stretch) => ({ ...stretch, records: [], at: 0, next: undefined }));
  }

  /** Up to `count` events; none at the end. */
  async next(count: number): Promise<PlacedEvent[]> {
    const events: PlacedEvent[] = [];
    while (events.length < count) {
      for (const topic of this.open) if (!topic.next) await this.refill(topic);
      this.open = this.open.filter((topic) => topic.next);
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
      events.push(oldest.next as PlacedEvent);
      this.advance(oldest);
      if (!oldest.next) return;
    }
  }

  private advance(topic: Open): void {
    topic.next = undefined;
    while (!topic.next && topic.at < topic.records.length) {
      const record = topic.records[topic.at++] as LogRecord;
      if (record.offset >= topic.to) return;
      const event = this.decoder.once(record) as PlacedEvent | undefined;
      if (event && unfoldable(event) === undefined) topic.next = event;
    }
  }

  private async refill(topic: Open): Promise<void> {
    topic.from ||= await this.log.first(topic.topic, this.partition);
    while (!topic.next && topic.from < topic.to) {
      topic.records = await this.log.read(topic.topic, this.partition, topic.from, Math.min(READ_AT_ONCE, topic.to - topic.from));
      topic.at = 0;
      const last = topic.records.at(-1);
      if (!last) return;
      await this.decoder.learn(topic.records);
      topic.from = last.offset + 1;
      this.advance(topic);
    }
  }
}

const hlcOf = ({ next }: Open): number => (next as PlacedEvent).event.meta.hlc;
