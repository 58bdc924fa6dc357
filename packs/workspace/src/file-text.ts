import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { RunContext } from '@countersign/tool-kit';
import { ToolError } from '@countersign/tool-kit';
import { refused } from './refusal.js';

/** Files up to this size are read completely; of larger ones only byte ranges. */
export const WHOLE_BYTES_MAX = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export function sha256Of(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Reads `length` bytes from `start`, fewer at the end of the file. */
export async function readBytes(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const { bytesRead } = await handle.read(buffer, got, Math.min(length - got, CHUNK_BYTES), start + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return buffer.subarray(0, got);
}

/** SHA-256 of a file up to 16 MiB, hex; null for a larger one. */
export async function digestOf(handle: FileHandle, size_bytes: number, ctx: RunContext): Promise<string | null> {
  if (size_bytes > WHOLE_BYTES_MAX) return null;
  const hash = createHash('sha256');
  for (let at = 0; at < size_bytes; at += CHUNK_BYTES) {
    if (ctx.signal.aborted) throw new ToolError('CANCELLED', 'the call was aborted while it read', { effect: 'none' });
    hash.update(await readBytes(handle, at, Math.min(CHUNK_BYTES, size_bytes - at)));
  }
  return hash.digest('hex');
}

/** Bytes as text. @throws ToolError if they are not UTF-8. */
export function textOf(bytes: Uint8Array, pointer = '/path'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(pointer, 'not_utf8', 'the file is not UTF-8 text: use encoding base64');
  }
}

/** Removes a character that is cut at either end; returns how many bytes were removed at the start. */
export function wholeCharacters(bytes: Buffer): { bytes: Buffer; skipped: number } {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start++;
  let end = bytes.length;
  let back = 1;
  while (back <= Math.min(3, end - start) && isContinuation(bytes[end - back])) back++;
  const lead = bytes[end - back];
  if (lead !== undefined && end - back >= start && charBytes(lead) > back) end -= back;
  return { bytes: bytes.subarray(start, end), skipped: start };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function charBytes(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** The longest prefix of a text that takes at most `bytes_max` as JSON. */
export function fitting(text: string, bytes_max: number): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= bytes_max) return text;
  let low = 0;
  let high = Math.min(text.length, bytes_max);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) <= bytes_max) low = middle;
    else high = middle - 1;
  }
  // Not between the halves of a surrogate pair.
  const last = text.charCodeAt(low - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? low - 1 : low);
}
