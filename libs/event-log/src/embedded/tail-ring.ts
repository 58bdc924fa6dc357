import type { Stream } from './stream.js';

const GENERATION_BYTES = 256 * 1024;
/** What a record in memory costs beside its bytes, roughly: object, headers, strings, and the event that its readers share. */
const RECORD_OVERHEAD_BYTES = 2048;

interface Generation {
  bytes: number;
  counts: Map<Stream, number>;
}

/** Bounds the records kept in memory over all streams: whole generations of durable records go, oldest first. */
export class TailRing {
  #bytes = 0;
  #newest: Generation = { bytes: 0, counts: new Map() };
  readonly #older: Generation[] = [];

  constructor(private readonly bytes_max: number) {}

  /** Takes note of what a finished write held, and drops what is too much. Only durable records may be noted. */
  settled(touched: readonly Stream[], bytes: number): void {
    const newest = this.#newest;
    let records = 0;
    for (const stream of touched) {
      const count = stream.writing - stream.durable;
      newest.counts.set(stream, (newest.counts.get(stream) ?? 0) + count);
      records += count;
    }
    const cost = bytes + records * RECORD_OVERHEAD_BYTES;
    newest.bytes += cost;
    this.#bytes += cost;
    if (newest.bytes >= Math.min(GENERATION_BYTES, this.bytes_max / 16)) {
      this.#older.push(newest);
      this.#newest = { bytes: 0, counts: new Map() };
    }
    while (this.#bytes > this.bytes_max && this.#older.length > 0) this.#drop(this.#older.shift()!);
  }

  #drop(generation: Generation): void {
    this.#bytes -= generation.bytes;
    for (const [stream, count] of generation.counts) stream.drop(count);
  }
}
