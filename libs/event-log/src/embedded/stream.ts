import type { LogRecord } from '../event-log.js';

/** Called when records were added; must return at once and must not throw. */
export interface StreamListener {
  wake(): void;
}

/** One partition of one topic: its heads, and its newest records in memory. */
export class Stream {
  /** Offset of the next record, whether or not earlier records are durable. */
  next: number;
  /** Everything below this offset is durable. */
  durable: number;
  /** Everything below this offset is in the running write. */
  writing: number;
  /** The first readable offset. */
  first = 0;
  /** The active readers and their positions. */
  readonly readers: { readonly position: number }[] = [];
  readonly appended_listeners: StreamListener[] = [];
  readonly durable_listeners: StreamListener[] = [];
  #tail: LogRecord[] = [];
  #dropped = 0;
  #tail_start: number;

  constructor(
    readonly id: number,
    readonly topic: string,
    readonly partition: number,
    next: number,
  ) {
    this.next = next;
    this.durable = next;
    this.writing = next;
    this.#tail_start = next;
  }

  push(record: LogRecord): void {
    this.#tail.push(record);
    this.next++;
    for (const listener of this.appended_listeners) listener.wake();
  }

  /** Marks the records of the finished write as durable. */
  settle(): void {
    this.durable = this.writing;
    for (const listener of this.durable_listeners) listener.wake();
  }

  /** Records [from, to) if all of them are still in memory. */
  fromTail(from: number, to: number): LogRecord[] | undefined {
    if (from < this.#tail_start) return undefined;
    const at = this.#dropped + from - this.#tail_start;
    return this.#tail.slice(at, at + to - from);
  }

  /** Drops the oldest `count` records of the tail. The array is shortened rarely, so that this is cheap. */
  drop(count: number): void {
    for (let at = this.#dropped; at < this.#dropped + count; at++) this.#tail[at] = undefined as unknown as LogRecord;
    this.#dropped += count;
    this.#tail_start += count;
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#dropped);
      this.#dropped = 0;
    }
  }
}
