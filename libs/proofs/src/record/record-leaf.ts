import { prefixedLeafHash } from '../merkle/hashing.js';
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

/** Builds leaves in a reused buffer, each after the 0x00 prefix for hashing. */
class LeafText {
  private bytes = Buffer.alloc(START_BYTES);
  private end = 1;

  /** The prefixed leaf of the last record; valid until the next `write`. */
  get prefixed(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  write(record: RecordToCover): this {
    this.end = 1;
    this.room(TAG.length);
    this.end += this.bytes.write(TAG, this.end, 'latin1');
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
    const bytes = this.bytes.write(text, this.end + 4, 'utf8');
    this.u32(bytes);
    this.end += bytes;
  }

  private u32(value: number): void {
    this.room(4);
    this.end = this.bytes.writeUInt32BE(value, this.end);
  }

  private u64(value: number): void {
    const high = Math.floor(value / TWO_TO_32);
    this.u32(high);
    this.u32(value - high * TWO_TO_32);
  }

  private room(bytes: number): void {
    if (this.end + bytes <= this.bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.bytes.length * 2, this.end + bytes));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

const leaf = new LeafText();

/**
 * The hash of a record's leaf in the tree of its partition; the leaf index follows from its offset. The leaf, with big-endian integers,
 * byte strings preceded by their length (4 bytes) and UTF-8 texts: the tag `countersign/record/v1` and a line feed; topic; partition (4
 * bytes); offset (8); timestamp in ms (8); 0 or 1 (4) and, for 1, the key; number of headers (4), then name and value of each, sorted by
 * the bytes of the name; value.
 */
export function recordHash(record: RecordToCover): Buffer {
  return prefixedLeafHash(leaf.write(record).prefixed);
}
