import { crc32c } from './crc32c.js';

/** A stretch of a segment file at block boundaries. */
export interface Chunk {
  position: number;
  /** Offset of the first record at or after `position`, by stream number; streams created later are missing and mean 0. */
  next: Float64Array;
}

/** The offsets of all streams at positions about 64 KiB apart in one segment: small whatever the number of records. */
export class SparseIndex {
  readonly chunks: Chunk[] = [];

  constructor(private readonly chunk_bytes: number) {}

  /** False if the last noted position is near. Wide tables are noted less often. */
  wants(position: number, streams: number): boolean {
    const last = this.chunks[this.chunks.length - 1];
    return last === undefined || position - last.position >= Math.max(this.chunk_bytes, streams * 512);
  }

  /** Notes a block boundary. `next` is retained. */
  note(position: number, next: Float64Array): void {
    this.chunks.push({ position, next });
  }

  /** Index of the chunk that holds this offset, if the segment holds it. */
  find(stream: number, offset: number): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.chunks[middle]!.next[stream] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * f64 values: segment bytes, number of chunks, then for each chunk position, number of streams and offsets; finally the CRC32C of
   * everything.
   */
  encode(segment_bytes: number): Buffer {
    const values = [segment_bytes, this.chunks.length];
    for (const { position, next } of this.chunks) {
      values.push(position, next.length);
      for (const offset of next) values.push(offset);
    }
    const bytes = Buffer.alloc(values.length * 8 + 8);
    for (let at = 0; at < values.length; at++) bytes.writeDoubleLE(values[at]!, at * 8);
    bytes.writeDoubleLE(crc32c(bytes, 0, bytes.length - 8), bytes.length - 8);
    return bytes;
  }

  /** Null if the bytes are damaged or belong to a segment of another length. */
  static decode(bytes: Buffer, segment_bytes: number, chunk_bytes: number): SparseIndex | null {
    if (bytes.length < 24 || bytes.length % 8 !== 0) return null;
    if (bytes.readDoubleLE(bytes.length - 8) !== crc32c(bytes, 0, bytes.length - 8)) return null;
    if (bytes.readDoubleLE(0) !== segment_bytes) return null;
    const index = new SparseIndex(chunk_bytes);
    let at = 16;
    for (let left = bytes.readDoubleLE(8); left > 0; left--) {
      const position = bytes.readDoubleLE(at);
      const next = new Float64Array(bytes.readDoubleLE(at + 8));
      at += 16;
      for (let stream = 0; stream < next.length; stream++, at += 8) next[stream] = bytes.readDoubleLE(at);
      index.chunks.push({ position, next });
    }
    return index;
  }
}
