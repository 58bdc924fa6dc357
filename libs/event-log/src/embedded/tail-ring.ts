import type { Stream } from './stream.js';

const GENERATION_BYTES = 256 * 1024;
/** Approximate memory of a record besides its bytes: object, headers, strings, and the decoded event that its readers share. */
const RECORD_OVERHEAD_BYTES = 2048;

/** Bytes that are kept although every reader has passed them, for reads that look back a little. */
const READ_BYTES_KEPT = 6 * 1024 * 1024;

/** The records of one stream in one generation. */
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
 * Limits the records kept in memory over all streams: whole generations of durable records are dropped, oldest first, and earlier if all
 * readers have passed them. Objects dropped young cost the garbage collector little.
 */
export class TailRing {
  #bytes = 0;
  #newest: Generation = { bytes: 0, parts: new Map() };
  readonly #older: Generation[] = [];

  constructor(private readonly bytes_max: number) {}

  /** Accounts for the records of a finished write, and drops the excess. Only durable records may be accounted for. */
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
