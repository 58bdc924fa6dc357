const decoder = new TextDecoder();
const LONG_BYTES_MAX = 10;

/** The bytes are not a value of their schema. */
export class MalformedAvro extends RangeError {}

/** Reads the binary encoding of Avro, front to back. @throws MalformedAvro past the end */
export class AvroCursor {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new MalformedAvro('the bytes end inside a value');
    return value;
  }

  /** A zigzag number of variable length: int or long. */
  long(): number {
    let sum = 0;
    let factor = 1;
    for (let n = 0; n < LONG_BYTES_MAX; n++) {
      const byte = this.byte();
      sum += (byte & 0x7f) * factor;
      factor *= 128;
      if ((byte & 0x80) !== 0) continue;
      const value = sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
      if (!Number.isSafeInteger(value)) throw new MalformedAvro('a number is too large');
      return value;
    }
    throw new MalformedAvro('a number has too many bytes');
  }

  double(): number {
    this.need(8);
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  block(): Uint8Array {
    const length = this.long();
    if (length < 0) throw new MalformedAvro('a length is negative');
    this.need(length);
    const block = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return block;
  }

  string(): string {
    return decoder.decode(this.block());
  }

  private need(bytes: number): void {
    if (this.at + bytes > this.bytes.length) throw new MalformedAvro('the bytes end inside a value');
  }
}
