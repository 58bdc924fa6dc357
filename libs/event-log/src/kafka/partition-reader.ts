import type { LogBatch, LogRecord } from '../event-log.js';
import type { Fetched } from './broker-link.js';
import { sleep } from './kafka-client.js';

const BUFFER_RECORDS_MAX = 2_000;
const BUFFER_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

export interface ReaderOptions {
  topic: string;
  partition: number;
  offset: number;
  batch_records_max: number;
  onBatch(batch: LogBatch): Promise<void>;
  /** Resolves when a batch may be delivered: at once, or when the membership is confirmed again. */
  clear(): Promise<void>;
  /** The buffer was full and has space again. */
  onCapacity(): void;
  warn(message: string, detail: Readonly<Record<string, unknown>>): void;
}

/**
 * Passes records of one partition from fetch to handler: a bounded buffer, one batch at a time, and the same batch again after a throw. A
 * slow or failing handler delays only its own partition; fetches and heartbeats continue.
 */
export class PartitionReader {
  readonly topic: string;
  readonly partition: number;
  /** The next offset to fetch. */
  position: number;
  /** Everything below this offset has been handled. */
  handled: number;
  /** Monotonic time up to which this reader is known to have handled all records. */
  complete_at_ms = Number.NEGATIVE_INFINITY;
  private buffer: LogRecord[] = [];
  private buffered_bytes = 0;
  private head: number;
  private head_at_ms = Number.NEGATIVE_INFINITY;
  private stopped = false;
  private progress_at_ms = performance.now();
  private waits_for: 'fetch' | 'membership' | 'handler' = 'fetch';
  private delivering: Promise<void> | undefined;

  constructor(private readonly options: ReaderOptions) {
    this.topic = options.topic;
    this.partition = options.partition;
    this.position = options.offset;
    this.handled = options.offset;
    this.head = options.offset;
  }

  get wants(): boolean {
    return !this.stopped && this.buffer.length < BUFFER_RECORDS_MAX && this.buffered_bytes < BUFFER_BYTES_MAX;
  }

  /** Time of the last activity, ms; undefined while a handler runs or waits for its retry. */
  get idleSince(): number | undefined {
    return this.stopped || this.waits_for === 'handler' ? undefined : this.progress_at_ms;
  }

  /** What an idle reader waits for. */
  get waitsFor(): 'fetch' | 'membership' {
    return this.waits_for === 'membership' ? 'membership' : 'fetch';
  }

  /** Accepts the records of a fetch sent at `sent_at_ms`, unless it was for another position (leaders may overlap while they move). */
  accept(fetched: Fetched, sent_at_ms: number): void {
    if (this.stopped || fetched.offset !== this.position) return;
    this.progress_at_ms = performance.now();
    if (fetched.next > this.position) {
      this.position = fetched.next;
      for (const record of fetched.records) {
        this.buffer.push(record);
        this.buffered_bytes += record.value.length;
      }
    }
    this.head = Math.max(fetched.head, this.position);
    this.head_at_ms = sent_at_ms;
    this.passUnreadable();
    this.noteComplete();
    if (this.buffer.length > 0) this.delivering ??= this.deliver();
  }

  /** Skips to the first remaining record, if the reader was below it. @returns whether it was */
  pass(first: number): boolean {
    if (this.position >= first) return false;
    this.position = first;
    this.progress_at_ms = performance.now();
    if (this.buffer.length === 0) this.handled = first;
    return true;
  }

  /** Starts no further batch; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.buffer = [];
    await this.delivering;
  }

  private async deliver(): Promise<void> {
    let retry_ms = RETRY_FIRST_MS;
    while (this.buffer.length > 0 && !this.stopped) {
      const records = this.buffer.slice(0, this.options.batch_records_max);
      try {
        this.turn('membership');
        await this.options.clear();
        if (this.stopped) break;
        this.turn('handler');
        await this.options.onBatch({ topic: this.topic, partition: this.partition, records, head: this.head });
        this.drop(records);
        retry_ms = RETRY_FIRST_MS;
      } catch (error) {
        this.warn(error, records, retry_ms);
        if (!this.stopped) await sleep(retry_ms);
        retry_ms = Math.min(retry_ms * 2, RETRY_MAX_MS);
      }
    }
    this.delivering = undefined;
    this.turn('fetch');
  }

  private turn(waits_for: 'fetch' | 'membership' | 'handler'): void {
    this.waits_for = waits_for;
    this.progress_at_ms = performance.now();
  }

  /** Skips the offsets after the last record that are never delivered: control records. */
  private passUnreadable(): void {
    if (this.buffer.length === 0) this.handled = Math.max(this.handled, this.position);
  }

  private drop(records: readonly LogRecord[]): void {
    const last = records[records.length - 1];
    if (last) this.handled = last.offset + 1;
    if (this.stopped) return;
    const had_capacity = this.wants;
    this.buffer = this.buffer.slice(records.length);
    this.buffered_bytes -= records.reduce((sum, record) => sum + record.value.length, 0);
    this.passUnreadable();
    this.noteComplete();
    if (!had_capacity && this.wants) this.options.onCapacity();
  }

  private noteComplete(): void {
    if (this.handled >= this.head) this.complete_at_ms = Math.max(this.complete_at_ms, this.head_at_ms);
  }

  private warn(error: unknown, records: readonly LogRecord[], retry_ms: number): void {
    const where = { topic: this.topic, partition: this.partition, offset: records[0]?.offset, retry_ms };
    this.options.warn('a handler failed; its batch is delivered again', {
      ...where,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
