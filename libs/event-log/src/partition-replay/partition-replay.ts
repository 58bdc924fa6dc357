import type { EventLog, LogRecord } from '../event-log.js';
import type { BatchDecoder } from '../transport/batch-decoder.js';
import type { Recorded } from '../transport/event-batch.js';

const READ_AT_ONCE = 500;

/** The records of one topic from one offset up to another; `from` 0 means from the first remaining record. */
export interface Stretch {
  topic: string;
  from: number;
  to: number;
}

export interface ReplaySource {
  log: EventLog;
  decoder: BatchDecoder;
}

interface OpenStretch extends Stretch {
  /** Read but not decoded yet: an event is many times the size of its record. */
  records: readonly LogRecord[];
  at: number;
  /** The oldest remaining event; undefined if more records must be read. */
  next: Recorded | undefined;
}

/** The stretches of these topics of one partition from the given offsets up to the current heads. */
export async function stretchesToHeads(log: EventLog, partition: number, from: ReadonlyMap<string, number>): Promise<Stretch[]> {
  return Promise.all([...from].map(async ([topic, offset]) => ({ topic, from: offset, to: await log.head(topic, partition) })));
}

/**
 * Reads stretches of several topics of one partition again, as one sequence. Guarantees: every event of the stretches once, in offset
 * order within a topic, and across topics by hlc (causes before effects; for equal hlc the topic that is named first) as far as the order
 * within each topic allows. Nothing at or beyond `to` is returned, even if more was appended meanwhile. A record that cannot be decoded,
 * or that `accepts` refuses, is skipped: the consumer group that read it first has dead-lettered it. Holds at most 500 records for each
 * topic, and one decoded event. Does not retry: an InfrastructureFault or RecordsDropped of the log goes to the caller, who starts a new
 * replay.
 */
export class PartitionReplay {
  private readonly all: readonly OpenStretch[];
  private open: readonly OpenStretch[];

  constructor(
    private readonly source: ReplaySource,
    private readonly partition: number,
    stretches: readonly Stretch[],
    private readonly accepts: (event: Recorded) => boolean = () => true,
  ) {
    this.all = stretches.map((stretch) => ({ ...stretch, records: [], at: 0, next: undefined }));
    this.open = this.all;
  }

  /** Up to `count` events; empty at the end. */
  async next(count: number): Promise<Recorded[]> {
    const events: Recorded[] = [];
    while (events.length < count) {
      for (const stretch of this.open) if (!stretch.next) await this.refill(stretch);
      this.open = this.open.filter(({ next }) => next);
      if (this.open.length === 0) break;
      this.take(events, count);
    }
    return events;
  }

  /** All events, up to `count` at a time. */
  async *batches(count: number): AsyncGenerator<Recorded[]> {
    for (let events = await this.next(count); events.length > 0; events = await this.next(count)) yield events;
  }

  /** Everything of the topic below this offset was returned or skipped: `to` at the end, or less if the log returned no more. */
  position(topic: string): number {
    const stretch = this.all.find((each) => each.topic === topic);
    if (!stretch) throw new Error(`${topic} is not replayed`);
    return stretch.next ? stretch.next.offset : Math.min(stretch.from, stretch.to);
  }

  /** Takes the oldest event of all topics repeatedly, until more records of one topic must be read. */
  private take(events: Recorded[], count: number): void {
    while (events.length < count) {
      let oldest = this.open[0] as OpenStretch;
      for (const stretch of this.open) if (hlcOf(stretch) < hlcOf(oldest)) oldest = stretch;
      events.push(oldest.next as Recorded);
      this.advance(oldest);
      if (!oldest.next) return;
    }
  }

  private advance(stretch: OpenStretch): void {
    stretch.next = undefined;
    while (!stretch.next && stretch.at < stretch.records.length) {
      const record = stretch.records[stretch.at++] as LogRecord;
      if (record.offset >= stretch.to) return;
      const event = this.source.decoder.once(record);
      if (event && this.accepts(event)) stretch.next = event;
    }
  }

  private async refill(stretch: OpenStretch): Promise<void> {
    if (stretch.from >= stretch.to) return;
    const { log, decoder } = this.source;
    stretch.from ||= await log.first(stretch.topic, this.partition);
    while (!stretch.next && stretch.from < stretch.to) {
      stretch.records = await log.read(stretch.topic, this.partition, stretch.from, Math.min(READ_AT_ONCE, stretch.to - stretch.from));
      stretch.at = 0;
      const last = stretch.records.at(-1);
      if (!last) return;
      await decoder.learn(stretch.records);
      stretch.from = last.offset + 1;
      this.advance(stretch);
    }
  }
}

const hlcOf = ({ next }: OpenStretch): number => (next as Recorded).event.meta.hlc;
