import type { Stream } from './stream.js';

const GENERATION_BYTES = 256 * 1024;
/** What a record in memory costs beside its bytes, roughly: object, headers, strings, and the event that its readers share. */
const RECORD_OVERHEAD_BYTES = 2048;

/** Kept although everybody has read it, for whoever looks back a little. */
const READ_BYTES_KEPT = 6 * 1024 * 1024;

/** What one generation has of a stream. */
interface Part {
  count: number;
  /** The offset after its last record. */
  end: number;
}

interface Generation {
  bytes: number;
  parts: Map<Stream, Part>;
}

function isRead({ parts }: Generation): boolean {
  for (const [stream, { end }] of parts) for (const { position } of stream.readers) if (position < end) return false;
  return true;
}

/**
 * Bounds the records kept in memory over all streams: whole generations of durable records go, oldest first, those that all
 * readers are through with sooner. What is let go young costs the collector little.
 */
export class TailRing {
  #bytes = 0;
  #newest: Generation = { bytes: 0, parts: new Map() };
  readonly #older: Generation[] = [];

  constructor(private readonly bytes_max: number) {}

  /** Takes note of what a finished write held, and drops what is too much. Only durable records may be noted. */
  settled(touched: readonly Stream[], bytes: number): void {
    const newest = this.#newest;
    let records = 0;
    for (const stream of touched) {
      const count = stream.writing - stream.durable;
      newest.parts.set(stream, { count: (newest.parts.get(stream)?.count ?? 0) + count, end: stream.writing });
      records += count;
    }
    const cost = bytes + records * RECORD_OVERHEAD_BYTES;
    newest.bytes += cost;
    this.#bytes += cost;
    if (newest.bytes >= Math.min(GENERATION_BYTES, this.bytes_max / 16)) {
      this.#older.push(newest);
      this.#newest = { bytes: 0, parts: new Map() };
    }
    while (this.#bytes > Math.min(READ_BYTES_KEPT, this.bytes_max)) {
      const oldest = this.#older[0];
      if (oldest === undefined || (this.#bytes <= this.bytes_max && !isRead(oldest))) return;
      this.#older.shift();
      this.#drop(oldest);
    }
  }

  #drop(generation: Generation): void {
    this.#bytes -= generation.bytes;
    for (const [stream, { count }] of generation.parts) stream.drop(count);
  }
}
