import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32c } from '@countersign/event-log/embedded/crc32c';

/** Fields of a record batch of format 2, by their byte. */
const LENGTH = 8;
const CRC = 17;
const ATTRIBUTES = 21;
const LAST_DELTA = 23;
const BASE_TIME = 27;
const MAX_TIME = 35;
const COUNT = 57;
const RECORDS = 61;
const SEGMENT = '00000000000000000000.log';
const DERIVED = /\.(index|timeindex|snapshot|txnindex)$/;

/** The batches in the only segment of a partition, each with its own bytes. */
export function readBatches(dir: string): Buffer[] {
  const bytes = readFileSync(path.join(dir, SEGMENT));
  const batches: Buffer[] = [];
  for (let at = 0; at + RECORDS <= bytes.length; ) {
    const end = at + 12 + bytes.readInt32BE(at + LENGTH);
    if (end > bytes.length || end === at + 12) break;
    batches.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return batches;
}

export const offsetOf = (batch: Buffer): number => Number(batch.readBigInt64BE(0));
export const countOf = (batch: Buffer): number => batch.readInt32BE(COUNT);

/** Writes a partition of a broker that is down. Kafka makes its indexes again from the batches. */
export function writeBatches(dir: string, batches: readonly Buffer[], first = 0): void {
  for (const name of readdirSync(dir)) if (DERIVED.test(name)) rmSync(path.join(dir, name));
  writeFileSync(path.join(dir, SEGMENT), Buffer.concat(batches));
  if (first > 0) renameSync(path.join(dir, SEGMENT), path.join(dir, `${String(first).padStart(20, '0')}.log`));
}

/** The batches one after the other, without gaps. An offset is not covered by the checksum. */
export function renumbered(batches: readonly Buffer[], first = 0): Buffer[] {
  let next = BigInt(first);
  return batches.map((batch) => {
    const moved = Buffer.from(batch);
    moved.writeBigInt64BE(next, 0);
    next += BigInt(batch.readInt32BE(LAST_DELTA) + 1);
    return moved;
  });
}

function sealed(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch, ATTRIBUTES, batch.length), CRC);
  return batch;
}

/** A zigzag varint, and where it ends. */
function varint(from: Buffer, start: number): { value: number; end: number } {
  let [value, shift, at] = [0n, 0n, start];
  for (let byte = 0x80; byte & 0x80; shift += 7n) {
    byte = from[at++] as number;
    value |= BigInt(byte & 0x7f) << shift;
  }
  return { value: Number((value >> 1n) ^ -(value & 1n)), end: at };
}

/** Where the value of the record number `nth` begins and ends. */
function valueIn(batch: Buffer, nth: number): { start: number; end: number } {
  let at = RECORDS;
  for (let n = 0; n < nth; n++) {
    const length = varint(batch, at);
    at = length.end + length.value;
  }
  const afterTime = varint(batch, varint(batch, at).end + 1).end;
  const key = varint(batch, varint(batch, afterTime).end);
  const value = varint(batch, key.end + Math.max(0, key.value));
  return { start: value.end, end: value.end + Math.max(0, value.value) };
}

/** Flips a bit of a record's value, in its last bytes only if `last` says how many; the checksum of the batch is right. */
export function withChangedValue(batch: Buffer, below: (count: number) => number, last = Number.POSITIVE_INFINITY): Buffer {
  const changed = Buffer.from(batch);
  const { start, end } = valueIn(changed, below(countOf(batch)));
  const from = Math.max(start, end - last);
  const at = from + below(end - from);
  changed[at] = (changed[at] as number) ^ 1;
  return sealed(changed);
}

/** Moves the time of a batch. Topics have LogAppendTime: the time of its records is the last of the two fields. */
export function withEarlierTime(batch: Buffer, by_ms: number): Buffer {
  const changed = Buffer.from(batch);
  for (const at of [BASE_TIME, MAX_TIME]) changed.writeBigInt64BE(changed.readBigInt64BE(at) - BigInt(by_ms), at);
  return sealed(changed);
}
