import { leafHash } from '../merkle/hashing.js';

/** A record of the log as its leaf covers it; `event-log`'s LogRecord fits. */
export interface RecordToCover {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: Uint8Array;
}

const TAG = Buffer.from('countersign/record/v1\n');

class LeafText {
  private readonly parts: Uint8Array[] = [TAG];

  u32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    this.parts.push(bytes);
  }

  u64(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    this.parts.push(bytes);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    this.parts.push(value);
  }

  get data(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/**
 * The data of a record's leaf. Integers are big-endian, byte strings are preceded by their length (4 bytes), texts are
 * UTF-8: the tag `countersign/record/v1` and a line feed; topic; partition (4 bytes); offset (8); timestamp in ms (8);
 * 0 or 1 (4) and, where it is 1, the key; number of headers (4), then name and value of each, sorted by the bytes of the name; value.
 */
export function recordLeaf(record: RecordToCover): Buffer {
  const text = new LeafText();
  text.bytes(Buffer.from(record.topic));
  text.u32(record.partition);
  text.u64(record.offset);
  text.u64(record.timestamp_ms);
  text.u32(record.key === null ? 0 : 1);
  if (record.key !== null) text.bytes(Buffer.from(record.key));
  const headers = Object.entries(record.headers).map(([name, value]) => [Buffer.from(name), Buffer.from(value)] as const);
  headers.sort(([a], [b]) => Buffer.compare(a, b));
  text.u32(headers.length);
  for (const [name, value] of headers) {
    text.bytes(name);
    text.bytes(value);
  }
  text.bytes(record.value);
  return text.data;
}

/** The hash of a record's leaf in the tree of its partition; its index there is its offset. */
export function recordHash(record: RecordToCover): Buffer {
  return leafHash(recordLeaf(record));
}
