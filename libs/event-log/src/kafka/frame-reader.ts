const LENGTH_BYTES = 4;

/** Splits the bytes of one connection into Kafka's frames: a length (int32, big endian) and that many bytes. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private buffered_bytes = 0;
  private needed_bytes = LENGTH_BYTES;

  constructor(private readonly frame_bytes_max: number) {}

  /** Passes on each complete frame, including its length. @throws if a length is negative or above the limit. */
  push(chunk: Buffer, take: (frame: Buffer) => void): void {
    this.chunks.push(chunk);
    this.buffered_bytes += chunk.length;
    while (this.buffered_bytes >= this.needed_bytes) {
      const bytes = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
      const end = LENGTH_BYTES + this.lengthOf(bytes);
      const isWhole = bytes.length >= end;
      if (isWhole) this.keep(bytes.subarray(end), LENGTH_BYTES);
      else this.keep(bytes, end);
      if (isWhole) take(bytes.subarray(0, end));
    }
  }

  private keep(bytes: Buffer, needed_bytes: number): void {
    this.chunks = bytes.length === 0 ? [] : [bytes];
    this.buffered_bytes = bytes.length;
    this.needed_bytes = needed_bytes;
  }

  private lengthOf(bytes: Buffer): number {
    const length = bytes.readInt32BE(0);
    if (length < 0 || length > this.frame_bytes_max)
      throw new RangeError(`the broker announces a response of ${length} bytes; the limit is ${this.frame_bytes_max} bytes`);
    return length;
  }
}
