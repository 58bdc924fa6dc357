import type { LogRecord } from '../event-log.js';
import { BLOCK_HEADER_BYTES, jsonBlock, RECORDS, sealBlock, stampBlock, TOPICS } from './block.js';
import { frameBytesMax, putFrame } from './frame.js';
import type { Stream } from './stream.js';
import type { StreamTable, TopicEntry } from './stream-table.js';

const BLOCK_BYTES = 64 * 1024;
const MARK_BYTES = 256 * 1024;
const START_BYTES = 256 * 1024;
const KEEP_BYTES = 4 * 1024 * 1024;

interface Waiter {
  offsets: number[];
  resolve(offsets: number[]): void;
  reject(fault: Error): void;
}

/** A block boundary in the buffer and the offsets at that position. */
interface Mark {
  at: number;
  next: Float64Array;
}

/** The content of the next write: blocks of frames, the callers that wait for them, and the streams they touch. */
export class WriteBuffer {
  bytes = Buffer.allocUnsafeSlow(START_BYTES);
  length = 0;
  readonly waiters: Waiter[] = [];
  readonly touched: Stream[] = [];
  readonly marks: Mark[] = [];
  readonly #blocks: number[] = [];
  #touches = new Set<Stream>();
  #open_at = -1;
  #open_records = 0;

  get empty(): boolean {
    return this.length === 0;
  }

  /** Starts a block unless one with space is open. All records of one append go into one block. */
  begin(table: StreamTable): void {
    if (this.#open_at >= 0) {
      if (this.length - this.#open_at < BLOCK_BYTES) return;
      this.#close();
    }
    this.#mark(table);
    this.#open_at = this.length;
    this.#open_records = 0;
    this.#reserve(BLOCK_HEADER_BYTES);
    this.length += BLOCK_HEADER_BYTES;
  }

  put(stream: Stream, record: LogRecord): void {
    this.#reserve(frameBytesMax(record));
    this.length = putFrame(this.bytes, this.length, stream.id, record);
    this.#open_records++;
    if (this.#touches.has(stream)) return;
    this.#touches.add(stream);
    this.touched.push(stream);
  }

  putTopics(entries: readonly TopicEntry[], table: StreamTable): void {
    this.#close();
    this.#mark(table);
    const block = jsonBlock(TOPICS, entries);
    this.#reserve(block.length);
    block.copy(this.bytes, this.length);
    this.#blocks.push(this.length);
    this.length += block.length;
  }

  /** Closes the open block and fixes the heads of the streams: nothing is added until `clear`. */
  seal(): void {
    this.#close();
    for (const stream of this.touched) stream.writing = stream.next;
  }

  /** Sets the position of every block in the journal. */
  stamp(position: number): void {
    for (const at of this.#blocks) stampBlock(this.bytes, at, position + at, position);
  }

  clear(): void {
    this.length = 0;
    this.waiters.length = 0;
    this.touched.length = 0;
    this.marks.length = 0;
    this.#blocks.length = 0;
    this.#touches.clear();
    if (this.bytes.length > KEEP_BYTES) this.bytes = Buffer.allocUnsafeSlow(START_BYTES);
  }

  #close(): void {
    if (this.#open_at < 0) return;
    sealBlock(this.bytes, this.#open_at, this.length, RECORDS, this.#open_records);
    this.#blocks.push(this.#open_at);
    this.#open_at = -1;
  }

  #mark(table: StreamTable): void {
    const last = this.marks[this.marks.length - 1];
    if (last === undefined || this.length - last.at >= MARK_BYTES) this.marks.push({ at: this.length, next: table.nextOffsets() });
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + bytes));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
