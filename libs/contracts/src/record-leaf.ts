import { compareBytes } from './compare-bytes.js';

/** The fields of a log record that its leaf covers; compatible with LogRecord of `event-log`. */
export interface RecordToCover {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: Uint8Array;
}

const TAG = 'countersign/record/v1\n';
const START_BYTES = 64 * 1024;
const TWO_TO_32 = 0x1_0000_0000;
const encoder = new TextEncoder();

/** Builds leaves in a reused buffer, each after the 0x00 prefix for hashing. */
class LeafText {
  private bytes = new Uint8Array(START_BYTES);
  private end = 1;

  /** The prefixed leaf of the last record; valid until the next `write`. */
  get prefixed(): Uint8Array {
    return this.bytes.subarray(0, this.end);
  }

  write(record: RecordToCover): this {
    this.end = 1;
    this.room(TAG.length);
    this.utf8(TAG);
    this.text(record.topic);
    this.u32(record.partition);
    this.u64(record.offset);
    this.u64(record.timestamp_ms);
    this.u32(record.key === null ? 0 : 1);
    if (record.key !== null) this.text(record.key);
    const names = Object.keys(record.headers);
    if (names.length > 1) names.sort(compareBytes);
    this.u32(names.length);
    for (const name of names) {
      this.text(name);
      this.text(record.headers[name] as string);
    }
    this.u32(record.value.length);
    this.room(record.value.length);
    this.bytes.set(record.value, this.end);
    this.end += record.value.length;
    return this;
  }

  private text(text: string): void {
    this.room(4 + text.length * 3);
    const length_at = this.end;
    this.end += 4;
    this.utf8(text);
    const { end } = this;
    this.end = length_at;
    this.u32(end - length_at - 4);
    this.end = end;
  }

  /** Writes ASCII itself: for short texts that is faster than a call into the encoder. */
  private utf8(text: string): void {
    const { bytes, end } = this;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) {
        this.end += encoder.encodeInto(text, bytes.subarray(end)).written;
        return;
      }
      bytes[end + at] = code;
    }
    this.end += text.length;
  }

  private u32(value: number): void {
    this.room(4);
    const { bytes, end } = this;
    bytes[end] = value >>> 24;
    bytes[end + 1] = value >>> 16;
    bytes[end + 2] = value >>> 8;
    bytes[end + 3] = value;
    this.end += 4;
  }

  private u64(value: number): void {
    const high = Math.floor(value / TWO_TO_32);
    this.u32(high);
    this.u32(value - high * TWO_TO_32);
  }

  private room(bytes: number): void {
    if (this.end + bytes <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.end + bytes));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }
}

const leaf = new LeafText();

/**
 * The leaf of a record in the tree of its partition, after the 0x00 prefix that its hash takes; valid until the next call. The leaf index
 * follows from the offset. The leaf, with big-endian integers, byte strings preceded by their length (4 bytes) and UTF-8 texts: the tag
 * `countersign/record/v1` and a line feed; topic; partition (4 bytes); offset (8); timestamp in ms (8); 0 or 1 (4) and, for 1, the key;
 * number of headers (4), then name and value of each, sorted by the bytes of the name; value.
 */
export function prefixedRecordLeaf(record: RecordToCover): Uint8Array {
  return leaf.write(record).prefixed;
}
