import type { LogBatch, LogRecord, Visibility } from '../event-log.js';
import type { JournalReader } from './journal-reader.js';
import type { Stream, StreamListener } from './stream.js';

const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 5_000;
/** Batches from memory before the event loop gets a turn. */
const BURST = 8;

export interface CursorOptions {
  visibility: Visibility;
  batch_records_max: number;
  from: number;
  onBatch(batch: LogBatch): Promise<void>;
  /** A failed batch or read: it is retried after a pause. */
  onFault(error: unknown): void;
}

interface Awaiting {
  offset: number;
  resolve(): void;
}

/** Reads one partition of one topic continuously, one batch at a time. It is idle between batches. */
export class Cursor implements StreamListener {
  #position: number;
  #busy = false;
  #stopped = false;
  #scheduled = false;
  #burst = 0;
  #failures = 0;
  #batch: LogBatch | undefined;
  #pause: NodeJS.Timeout | undefined;
  #at_head_ms = Number.NEGATIVE_INFINITY;
  readonly #awaiting: Awaiting[] = [];
  #ended: (() => void) | undefined;

  constructor(
    private readonly stream: Stream,
    private readonly reader: JournalReader,
    private readonly options: CursorOptions,
  ) {
    this.#position = Math.max(options.from, stream.first);
    stream.readers.push(this);
    this.#listeners().push(this);
    this.wake();
  }

  get position(): number {
    return this.#position;
  }

  get topic(): string {
    return this.stream.topic;
  }

  /** New records: appended ones are read at the next turn of the event loop, so that all records of this turn form one batch. */
  wake(): void {
    if (this.#scheduled || this.#busy || this.#stopped) return;
    this.#scheduled = true;
    if (this.options.visibility === 'appended') setImmediate(this.#pump);
    else queueMicrotask(this.#pump);
  }

  /** Milliseconds since all records had been handled; Infinity before the first time. */
  staleness_ms(): number {
    return this.#position >= this.#limit() ? 0 : performance.now() - this.#at_head_ms;
  }

  /** Resolves when everything that is visible now has been handled, or the cursor is stopped. */
  caughtUp(): Promise<void> {
    const offset = this.#limit();
    if (this.#stopped || this.#position >= offset) return Promise.resolve();
    return new Promise((resolve) => this.#awaiting.push({ offset, resolve }));
  }

  /** Starts no further batch; resolves when the running one has ended. */
  stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = true;
      const listeners = this.#listeners();
      listeners.splice(listeners.indexOf(this), 1);
      this.stream.readers.splice(this.stream.readers.indexOf(this), 1);
      for (const { resolve } of this.#awaiting.splice(0)) resolve();
    }
    if (this.#pause !== undefined) {
      clearTimeout(this.#pause);
      this.#pause = undefined;
      this.#busy = false;
    }
    if (!this.#busy) return Promise.resolve();
    const before = this.#ended;
    return new Promise((resolve) => {
      this.#ended = () => {
        before?.();
        resolve();
      };
    });
  }

  #listeners(): StreamListener[] {
    return this.options.visibility === 'appended' ? this.stream.appended_listeners : this.stream.durable_listeners;
  }

  #limit(): number {
    return this.options.visibility === 'appended' ? this.stream.next : this.stream.durable;
  }

  readonly #pump = (): void => {
    this.#scheduled = false;
    if (this.#busy || this.#stopped) return;
    const limit = this.#limit();
    if (this.#position >= limit) {
      this.#at_head_ms = performance.now();
      return;
    }
    const to = Math.min(this.#position + this.options.batch_records_max, limit);
    this.#busy = true;
    const records = this.stream.fromTail(this.#position, to);
    if (records !== undefined) this.#deliver(records, limit);
    else this.#load(Math.min(to, this.stream.durable), limit);
  };

  /** Records that are no longer in memory are durable, so they are read from disk. */
  #load(to: number, limit: number): void {
    this.reader.read(this.stream, this.#position, to, BATCH_BYTES_MAX).then(
      (records) => this.#deliver(records, limit),
      (error) => this.#again(error, () => this.#load(to, limit)),
    );
  }

  #deliver(records: readonly LogRecord[], head: number): void {
    if (this.#stopped) {
      this.#end();
      return;
    }
    this.#batch = { topic: this.stream.topic, partition: this.stream.partition, records, head };
    this.#run();
  }

  readonly #run = (): void => {
    let running: Promise<void>;
    try {
      running = this.options.onBatch(this.#batch!);
    } catch (error) {
      this.#failed(error);
      return;
    }
    running.then(this.#done, this.#failed);
  };

  readonly #done = (): void => {
    this.#position += this.#batch!.records.length;
    this.#batch = undefined;
    this.#failures = 0;
    if (this.#stopped) {
      this.#end();
      return;
    }
    this.#busy = false;
    if (this.#awaiting.length > 0) this.#settle();
    if (++this.#burst % BURST === 0) {
      this.#scheduled = true;
      setImmediate(this.#pump);
    } else this.#pump();
  };

  readonly #failed = (error: unknown): void => this.#again(error, this.#run);

  #again(error: unknown, work: () => void): void {
    if (this.#stopped) {
      this.#end();
      return;
    }
    this.options.onFault(error);
    const pause = Math.min(PAUSE_MS * 2 ** this.#failures++, PAUSE_MS_MAX);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      work();
    }, pause);
  }

  #settle(): void {
    for (let at = this.#awaiting.length - 1; at >= 0; at--) {
      if (this.#awaiting[at]!.offset > this.#position) continue;
      this.#awaiting.splice(at, 1)[0]!.resolve();
    }
  }

  #end(): void {
    this.#busy = false;
    this.#ended?.();
  }
}
