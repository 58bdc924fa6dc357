import type { LogRecord } from '../event-log.js';

/**
 * One record inside a block, little endian: u32 length of the rest · u32 stream · u48 offset · u48 timestamp_ms · u16 key length (0xffff:
 * null) · u8 headers · u32 value length · key · for each header u16 name length, u16 value length, name, value · value. Text is UTF-8.
 */
const FIXED_BYTES = 27;
const NULL_KEY = 0xffff;

/** Why a record does not fit the format, or null. Lengths are UTF-16 units and limited to a third of the field, which is safe for UTF-8. */
export function frameFault(record: { key: string | null; headers: Record<string, string> }): string | null {
  if (record.key !== null && record.key.length > 20_000) return `the key has ${record.key.length} characters, at most 20000 are allowed`;
  let headers = 0;
  for (const name in record.headers) {
    if (name.length > 20_000 || record.headers[name]!.length > 20_000) return `header ${name.slice(0, 40)} is too long`;
    headers++;
  }
  return headers > 255 ? `${headers} headers` : null;
}

/** Upper bound of the record's encoded size in bytes. */
export function frameBytesMax(record: { key: string | null; value: Buffer; headers: Record<string, string> }): number {
  let bytes = FIXED_BYTES + record.value.length + (record.key === null ? 0 : record.key.length * 3);
  for (const name in record.headers) bytes += 4 + (name.length + record.headers[name]!.length) * 3;
  return bytes;
}

/** Writes the record's frame at `start` and returns the end. The buffer must have room for `frameBytesMax`. */
export function putFrame(into: Buffer, start: number, stream: number, record: LogRecord): number {
  let at = start + FIXED_BYTES;
  const keyAt = at;
  if (record.key !== null) at = putText(into, at, record.key);
  putU16(into, start + 20, record.key === null ? NULL_KEY : at - keyAt);
  let headers = 0;
  for (const name in record.headers) {
    const nameAt = at + 4;
    const valueAt = putText(into, nameAt, name);
    const end = putText(into, valueAt, record.headers[name]!);
    putU16(into, at, valueAt - nameAt);
    putU16(into, at + 2, end - valueAt);
    at = end;
    headers++;
  }
  into.set(record.value, at);
  at += record.value.length;
  putU32(into, start, at - start - 4);
  putU32(into, start + 4, stream);
  putU48(into, start + 8, record.offset);
  putU48(into, start + 14, record.timestamp_ms);
  into[start + 22] = headers;
  putU32(into, start + 23, record.value.length);
  return at;
}

export function frameEnd(from: Buffer, start: number): number {
  return start + 4 + from.readUInt32LE(start);
}

export function frameStream(from: Buffer, start: number): number {
  return from.readUInt32LE(start + 4);
}

export function frameOffset(from: Buffer, start: number): number {
  return from.readUIntLE(start + 8, 6);
}

/** Reads the record of the frame at `start`; its value shares the buffer. The block's CRC must have been checked. */
export function takeFrame(from: Buffer, start: number, topic: string, partition: number): LogRecord {
  const keyBytes = from.readUInt16LE(start + 20);
  let at = start + FIXED_BYTES;
  let key: string | null = null;
  if (keyBytes !== NULL_KEY) {
    key = from.toString('utf8', at, at + keyBytes);
    at += keyBytes;
  }
  const headers: Record<string, string> = {};
  for (let left = from[start + 22]!; left > 0; left--) {
    const valueAt = at + 4 + from.readUInt16LE(at);
    const end = valueAt + from.readUInt16LE(at + 2);
    headers[from.toString('utf8', at + 4, valueAt)] = from.toString('utf8', valueAt, end);
    at = end;
  }
  const value = from.subarray(at, at + from.readUInt32LE(start + 23));
  return { topic, partition, key, value, headers, offset: frameOffset(from, start), timestamp_ms: from.readUIntLE(start + 14, 6) };
}

function putText(into: Buffer, at: number, text: string): number {
  if (text.length > 64) return at + into.write(text, at, 'utf8');
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 127) return at + into.write(text, at, 'utf8');
    into[at + i] = unit;
  }
  return at + text.length;
}

function putU16(into: Buffer, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >>> 8;
}

function putU32(into: Buffer, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >>> 8;
  into[at + 2] = value >>> 16;
  into[at + 3] = value >>> 24;
}

function putU48(into: Buffer, at: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  putU32(into, at, value - high * 0x1_0000_0000);
  putU16(into, at + 4, high);
}
