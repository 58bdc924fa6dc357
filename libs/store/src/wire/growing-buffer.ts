const START_BYTES = 64 * 1024;

/** Big-endian bytes, written sequentially; the buffer doubles when it is full. `used` is the write position. */
export class GrowingBuffer {
  bytes = Buffer.allocUnsafeSlow(START_BYTES);
  used = 0;

  /** Makes room for this many more bytes: `bytes` may be another buffer afterwards. */
  room(more: number): void {
    if (this.used + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.used + more));
    this.bytes.copy(grown, 0, 0, this.used);
    this.bytes = grown;
  }

  int16(value: number): void {
    this.room(2);
    this.bytes.writeInt16BE(value, this.used);
    this.used += 2;
  }

  int32(value: number): void {
    this.room(4);
    this.bytes.writeInt32BE(value, this.used);
    this.used += 4;
  }

  append(bytes: Uint8Array): void {
    this.room(bytes.byteLength);
    this.bytes.set(bytes, this.used);
    this.used += bytes.byteLength;
  }
}
