import { type EventCodec, peekMeta } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { BatchDecoder, type EventLog, type LogRecord, type SchemaSource } from '@countersign/event-log';
import { type BackgroundPace, ComparisonStopped } from '../audit/background-pace.js';
import { unfoldable } from '../folding/storable-event.js';

const PAGE_RECORDS = 500;

/** The log to read, and the pace. */
export interface LogSource {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource | undefined;
}

/** A range of one topic partition: from an offset (inclusive) to another (exclusive), and up to a log time. */
export interface Stretch {
  topic: string;
  partition: number;
  from: number;
  below: number;
  /** Epoch ms; Infinity: up to `below`. */
  until_ms: number;
}

/** Reads the log page by page for selected calls: only their records are decoded. */
export class CallRecords {
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly source: LogSource,
    readonly pace: BackgroundPace,
  ) {
    this.decoder = new BatchDecoder(source.codec, source.schemas);
  }

  get log(): EventLog {
    return this.source.log;
  }

  /**
   * The events of the wanted calls (all if none are named), page by page, in offset order. @throws ComparisonStopped if the process stops
   * first: an incomplete read must report no damage
   */
  async *read({ topic, partition, from, below, until_ms }: Stretch, wanted?: ReadonlySet<string>): AsyncGenerator<PlacedEvent[]> {
    for (let at = from; at < below; ) {
      if (this.pace.isStopped) throw new ComparisonStopped('the process stops');
      const page = await this.pace.run(() => this.page(topic, partition, at, Math.min(PAGE_RECORDS, below - at), wanted));
      if (page.next === at) return;
      yield page.events;
      if (page.last_ms > until_ms) return;
      at = page.next;
    }
  }

  private async page(topic: string, partition: number, at: number, count: number, wanted: ReadonlySet<string> | undefined) {
    const records = await this.source.log.read(topic, partition, at, count);
    const own = wanted ? records.filter((record) => isOf(record, wanted)) : records;
    await this.decoder.learn(own);
    const events: PlacedEvent[] = [];
    for (const record of own) {
      const event = this.decoder.once(record) as PlacedEvent | undefined;
      if (event && unfoldable(event) === undefined) events.push(event);
    }
    const last = records.at(-1);
    return { events, next: last ? last.offset + 1 : at, last_ms: last?.timestamp_ms ?? 0 };
  }
}

function isOf({ value }: LogRecord, wanted: ReadonlySet<string>): boolean {
  const call_id = peekMeta(value)?.call_id;
  return typeof call_id === 'string' && wanted.has(call_id);
}
