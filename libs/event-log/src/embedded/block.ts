import { crc32c } from './crc32c.js';

/** Content of a block's body. 1: frames. 2: the topics at the start of a segment. 3: topics created later. Both lists are JSON. */
export type BlockKind = 1 | 2 | 3;
export const RECORDS = 1;
export const SEGMENT_START = 2;
export const TOPICS = 3;

export const BLOCK_HEADER_BYTES = 40;
const MAGIC = 0x314b4c42;

/**
 * A block is the unit that is completely on disk or not at all: a 40-byte header and its body. Little endian: u32 magic · u32 kind · u32
 * body length · u32 records · f64 position in the journal · f64 position at which its write started · u32 CRC32C of the body · u32 CRC32C
 * of the preceding header fields. A write starts only after everything before it was synced. A sound block whose write started after a
 * damaged position therefore proves that the damaged position was acknowledged: that is corruption, not a torn tail.
 */
export interface BlockHeader {
  kind: BlockKind;
  body_bytes: number;
  records: number;
  position: number;
  write_start: number;
  body_crc: number;
}

/** Writes the header fields that are known when the body is complete; `stampBlock` adds the positions just before the write. */
export function sealBlock(into: Buffer, start: number, end: number, kind: BlockKind, records: number): void {
  into.writeUInt32LE(MAGIC, start);
  into.writeUInt32LE(kind, start + 4);
  into.writeUInt32LE(end - start - BLOCK_HEADER_BYTES, start + 8);
  into.writeUInt32LE(records, start + 12);
  into.writeUInt32LE(crc32c(into, start + BLOCK_HEADER_BYTES, end), start + 32);
}

export function stampBlock(into: Buffer, start: number, position: number, writeStart: number): void {
  into.writeDoubleLE(position, start + 16);
  into.writeDoubleLE(writeStart, start + 24);
  into.writeUInt32LE(crc32c(into, start, start + 36), start + 36);
}

/** The header at `start`, or null if there is no sound header for that position of the journal. */
export function readBlockHeader(from: Buffer, start: number, position: number): BlockHeader | null {
  if (from.length - start < BLOCK_HEADER_BYTES || from.readUInt32LE(start) !== MAGIC) return null;
  if (from.readUInt32LE(start + 36) !== crc32c(from, start, start + 36)) return null;
  if (from.readDoubleLE(start + 16) !== position) return null;
  return {
    kind: from.readUInt32LE(start + 4) as BlockKind,
    body_bytes: from.readUInt32LE(start + 8),
    records: from.readUInt32LE(start + 12),
    position,
    write_start: from.readDoubleLE(start + 24),
    body_crc: from.readUInt32LE(start + 32),
  };
}

/** Whether the body after the header at `start` is complete and sound. */
export function bodyIsSound(from: Buffer, start: number, header: BlockHeader): boolean {
  const bodyAt = start + BLOCK_HEADER_BYTES;
  const end = bodyAt + header.body_bytes;
  return end <= from.length && crc32c(from, bodyAt, end) === header.body_crc;
}

/** A complete block around a JSON body, not stamped yet. */
export function jsonBlock(kind: BlockKind, content: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(content));
  const block = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + body.length);
  body.copy(block, BLOCK_HEADER_BYTES);
  sealBlock(block, 0, block.length, kind, 0);
  return block;
}

/** First position of the magic at or after `start`, or -1. */
export function nextMagic(from: Buffer, start: number): number {
  return from.indexOf(magicBytes, start);
}

const magicBytes = Buffer.alloc(4);
magicBytes.writeUInt32LE(MAGIC);
