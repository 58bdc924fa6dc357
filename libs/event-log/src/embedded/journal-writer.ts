import { InfrastructureFault } from '@countersign/contracts';
import type { LogHealth, LogRecord, NewRecord, TopicSpec } from '../event-log.js';
import { frameFault } from './frame.js';
import type { SegmentSet } from './segment-set.js';
import type { Stream } from './stream.js';
import type { StreamTable } from './stream-table.js';
import type { TailRing } from './tail-ring.js';
import { WriteBuffer } from './write-buffer.js';

export interface WriterOptions {
  clock: () => number;
  record_bytes_max: number;
  /** Appends are refused while more than this many bytes wait for the disk. */
  pending_bytes_max: number;
  full_retry_ms: number;
  fsync: 'fdatasync' | 'none';
}

// While little is pending, a write is delayed by up to this many turns of the event loop, so that records which in-process readers append
// in response (a decision to its request) share the sync. A turn costs microseconds, a sync far more.
const HOLD_TURNS = 3;
const HOLD_BYTES = 16 * 1024;

const FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Writes appends into one journal: one write and one sync at a time, shared by all appends that arrive meanwhile. A record is in memory
 * and readable as `appended` from the call of its append, and its position never changes. If the disk is full, accepted records stay in
 * memory and are written first when there is space; new appends are rejected meanwhile. A failed sync is never retried, because the
 * kernel may have dropped the pages.
 */
export class JournalWriter {
  #filling = new WriteBuffer();
  #spare: WriteBuffer | undefined = new WriteBuffer();
  #writing: WriteBuffer | undefined;
  #scheduled = false;
  #turns = 0;
  #held_bytes = 0;
  #state: LogHealth = 'open';
  #failure: Error | undefined;
  #retry: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: WriterOptions,
    private readonly segments: SegmentSet,
    private readonly table: StreamTable,
    private readonly ring: TailRing,
  ) {}

  get state(): LogHealth {
    return this.#state;
  }

  /** The error that made the journal fail. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  append(records: readonly NewRecord[]): Promise<number[]> {
    let streams: Stream[];
    try {
      streams = this.#admit(records);
    } catch (fault) {
      return Promise.reject(fault);
    }
    if (records.length === 0) return Promise.resolve([]);
    const timestamp_ms = this.options.clock();
    const filling = this.#filling;
    const offsets = new Array<number>(records.length);
    filling.begin(this.table);
    for (let at = 0; at < records.length; at++) {
      const appended = records[at]!;
      const { topic, partition, key, value, headers } = appended;
      const stream = streams[at]!;
      const record: LogRecord = {
        topic,
        partition,
        key,
        value,
        headers,
        offset: stream.next,
        timestamp_ms,
        decoded: undefined,
        leaf: undefined,
      };
      offsets[at] = record.offset;
      appended.appended_at_ms = timestamp_ms;
      appended.appended = record;
      filling.put(stream, record);
      stream.push(record);
    }
    return this.#durable(offsets);
  }

  /** Resolves when the missing topics are in the journal. */
  async createTopics(specs: readonly TopicSpec[]): Promise<void> {
    this.#refuse();
    const added = this.table.addMissing(specs);
    // Even if all exist, a topic that another caller just created must be durable before this returns.
    if (added.length > 0) this.#filling.putTopics(added, this.table);
    if (added.length > 0 || this.#writing !== undefined || !this.#filling.empty) await this.#durable([]);
  }

  /** Writes pending records and stops. Resolves even if that failed: the callers of append received the error. */
  async close(): Promise<void> {
    while (this.#state === 'open' && (this.#writing !== undefined || !this.#filling.empty)) {
      this.#start();
      await this.#running;
    }
    await this.kill();
  }

  /** Stops without writing pending records, as the end of the process would. */
  async kill(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#state !== 'failed') this.#state = 'closed';
    await this.#running;
    this.#reject(this.#filling, new InfrastructureFault('the log was closed before the record was written'));
    if (this.#writing !== undefined)
      this.#reject(this.#writing, new InfrastructureFault('the log was closed before the record was written'));
  }

  #durable(offsets: number[]): Promise<number[]> {
    const waiters = this.#filling.waiters;
    const done = new Promise<number[]>((resolve, reject) => waiters.push({ offsets, resolve, reject }));
    this.#schedule();
    return done;
  }

  /** @throws InfrastructureFault while the log accepts nothing, RangeError or Error for a record that never fits */
  #admit(records: readonly NewRecord[]): Stream[] {
    this.#refuse();
    const streams = new Array<Stream>(records.length);
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!;
      streams[at] = this.table.stream(record.topic, record.partition);
      if (record.value.length > this.options.record_bytes_max) {
        throw new RangeError(
          `a record of ${record.value.length} bytes for ${record.topic} is too large; the limit is ${this.options.record_bytes_max} bytes`,
        );
      }
      const fault = frameFault(record);
      if (fault !== null) throw new RangeError(`a record for ${record.topic} is not valid: ${fault}`);
    }
    return streams;
  }

  #refuse(): void {
    if (this.#state === 'open' && this.#filling.length <= this.options.pending_bytes_max) return;
    if (this.#state === 'open')
      throw new InfrastructureFault(`${this.#filling.length} bytes wait to be written to the log: the disk is too slow`);
    if (this.#state === 'full') throw new InfrastructureFault('the disk that holds the log is full');
    if (this.#state === 'closed') throw new InfrastructureFault('the log is closed');
    throw new InfrastructureFault('the log failed to write: it is read-only until the process restarts', { cause: this.#failure });
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    this.#turns = 0;
    this.#held_bytes = 0;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const bytes = this.#filling.length;
    const grew = bytes !== this.#held_bytes;
    if (grew && bytes < HOLD_BYTES && ++this.#turns < HOLD_TURNS) {
      this.#held_bytes = bytes;
      setImmediate(this.#turn);
      return;
    }
    this.#scheduled = false;
    this.#start();
  };

  #start(): void {
    if (this.#writing !== undefined || this.#filling.empty || this.#state !== 'open') return;
    const writing = this.#filling;
    writing.seal();
    this.#writing = writing;
    this.#filling = this.#spare ?? new WriteBuffer();
    this.#spare = undefined;
    this.#running = this.#write(writing);
  }

  async #write(writing: WriteBuffer): Promise<void> {
    try {
      if (this.segments.full) await this.segments.roll(this.table, writing.marks[0]!.next);
      await this.#place(writing);
    } catch (cause) {
      await this.#failed(writing, cause as NodeJS.ErrnoException);
      return;
    }
    try {
      if (this.options.fsync === 'fdatasync') await this.segments.active.file.fdatasync();
    } catch (cause) {
      this.#fail(cause as Error);
      return;
    }
    this.#finish(writing);
  }

  async #place(writing: WriteBuffer): Promise<void> {
    const { file, size, end } = this.segments.active;
    writing.stamp(end);
    for (let done = 0; done < writing.length; ) {
      done += await file.write(writing.bytes, done, writing.length - done, size + done);
    }
  }

  #finish(writing: WriteBuffer): void {
    const segment = this.segments.active;
    for (const { at, next } of writing.marks) {
      if (segment.index!.wants(segment.size + at, next.length)) segment.index!.note(segment.size + at, next);
    }
    segment.size += writing.length;
    this.ring.settled(writing.touched, writing.length);
    for (const stream of writing.touched) stream.settle();
    for (const { resolve, offsets } of writing.waiters) resolve(offsets);
    writing.clear();
    this.#writing = undefined;
    this.#spare = writing;
    if (this.#state === 'full') this.#state = 'open';
    if (!this.#filling.empty) this.#schedule();
  }

  /** Handles a failed write: none of it may stay on disk. If there is no space, it is retried later. */
  async #failed(writing: WriteBuffer, cause: NodeJS.ErrnoException): Promise<void> {
    if (!FULL_CODES.has(cause.code ?? '')) return this.#fail(cause);
    try {
      await this.segments.active.file.truncate(this.segments.active.size);
    } catch (second) {
      return this.#fail(second as Error);
    }
    if (this.#state === 'closed') return;
    this.#state = 'full';
    const fault = new InfrastructureFault('the disk that holds the log is full', { cause });
    this.#reject(writing, fault);
    this.#reject(this.#filling, fault);
    this.#retry = setTimeout(() => {
      this.#running = this.#write(writing);
    }, this.options.full_retry_ms);
  }

  #fail(cause: Error): void {
    this.#state = 'failed';
    this.#failure = cause;
    const fault = new InfrastructureFault('the log could not be written: it is read-only until the process restarts', { cause });
    if (this.#writing !== undefined) this.#reject(this.#writing, fault);
    this.#reject(this.#filling, fault);
  }

  #reject(buffer: WriteBuffer, fault: Error): void {
    for (const { reject } of buffer.waiters.splice(0)) reject(fault);
  }
}
