import { type PeekedMeta, peekMeta } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import type { BatchDecoder, EventLog, LogRecord } from '@countersign/event-log';

/** A range of one partition: offsets [from, end). */
export interface LogStretch {
  topic: string;
  partition: number;
  from: number;
  end: number;
}

/** An event with its position in the merged order. */
export interface Merged {
  at: PlacedEvent;
  record: LogRecord;
  /** Sort key: the append time, or that of an earlier record of the partition if the clock moved back. */
  order_ms: number;
}

/** Selects records before they are decoded. */
export interface Wanted {
  from_ms: number;
  to_ms: number;
  matches(meta: PeekedMeta, record: LogRecord): boolean;
}

const READ_AT_ONCE = 200;
/** The log's clock may move back by this much without a record being missed. */
export const CLOCK_SLACK_MS = 60_000;

/** Reads one range chunk by chunk; buffers matching events until they are consumed. */
class StretchReader {
  private readonly queue: Merged[] = [];
  private floor_ms = 0;
  /** Each range is read at least once per page, so a list makes progress with any number of partitions. */
  wasRead = false;

  constructor(
    private readonly stretch: LogStretch,
    private readonly wanted: Wanted,
  ) {}

  get topic(): string {
    return this.stretch.topic;
  }

  get partition(): number {
    return this.stretch.partition;
  }

  get first(): Merged | undefined {
    return this.queue[0];
  }

  get isRead(): boolean {
    return this.stretch.from >= this.stretch.end;
  }

  /** The offset from which a later reader continues without gap or repeat. */
  get position(): number {
    return this.queue[0]?.record.offset ?? this.stretch.from;
  }

  take(): void {
    this.queue.shift();
  }

  /** Reads the next chunk. Returns the number of records read. */
  async fill(log: EventLog, decoder: BatchDecoder): Promise<number> {
    const { stretch } = this;
    this.wasRead = true;
    const records = await log.read(stretch.topic, stretch.partition, stretch.from, Math.min(READ_AT_ONCE, stretch.end - stretch.from));
    if (records.length === 0) stretch.from = stretch.end;
    const found: { record: LogRecord; order_ms: number }[] = [];
    for (const record of records) {
      stretch.from = record.offset + 1;
      this.floor_ms = Math.max(this.floor_ms, record.timestamp_ms);
      if (record.timestamp_ms > this.wanted.to_ms + CLOCK_SLACK_MS) stretch.end = stretch.from;
      if (record.timestamp_ms < this.wanted.from_ms || record.timestamp_ms >= this.wanted.to_ms || record.offset >= stretch.end) continue;
      const meta = peekMeta(record.value);
      if (meta && this.wanted.matches(meta, record)) found.push({ record, order_ms: this.floor_ms });
    }
    const { events } = await decoder.decode(found.map(({ record }) => record));
    const byOffset = new Map(events.map((event) => [event.offset, event]));
    for (const { record, order_ms } of found) {
      const at = byOffset.get(record.offset) as PlacedEvent | undefined;
      if (at) this.queue.push({ at, record, order_ms });
    }
    return records.length;
  }
}

/**
 * Merges many partitions into one list, oldest first: by append time, then topic, partition and offset. Buffers a few hundred records of
 * each partition, whatever the length of the list.
 */
export class LogMerge {
  private readonly readers: StretchReader[];
  /** Number of records read so far. */
  read = 0;

  constructor(
    private readonly log: EventLog,
    private readonly decoder: BatchDecoder,
    stretches: readonly LogStretch[],
    wanted: Wanted,
  ) {
    const sorted = [...stretches].sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition));
    this.readers = sorted.map((stretch) => new StretchReader({ ...stretch }, wanted));
  }

  /** The next event; `pause` if it needs more than `reads_max` reads in total; undefined at the end. */
  async next(reads_max = Number.POSITIVE_INFINITY): Promise<Merged | 'pause' | undefined> {
    for (const reader of this.readers) {
      while (!reader.first && !reader.isRead) {
        if (reader.wasRead && this.read >= reads_max) return 'pause';
        this.read += await reader.fill(this.log, this.decoder);
      }
    }
    let least: StretchReader | undefined;
    for (const reader of this.readers) {
      if (reader.first && (!least?.first || reader.first.order_ms < least.first.order_ms)) least = reader;
    }
    const first = least?.first;
    least?.take();
    return first;
  }

  /** Next offsets by topic and partition: another merge continues from there without gap or repeat. */
  positions(): Record<string, Record<string, number>> {
    const positions: Record<string, Record<string, number>> = {};
    for (const { topic, partition, position } of this.readers) {
      positions[topic] = { ...positions[topic], [partition]: position };
    }
    return positions;
  }
}
