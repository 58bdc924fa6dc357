import { createHash, randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;
let lastMs = 0;
let sequence = 0;

const DASH = 45;
const DIGITS = Buffer.from('0123456789abcdef');
const text = Buffer.alloc(36, DASH);

/** Formats 16 bytes as a UUID. */
export function uuidText(bytes: Uint8Array, at = 0): string {
  let to = 0;
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) to++;
    const byte = bytes[at + i] as number;
    text[to++] = DIGITS[byte >> 4] as number;
    text[to++] = DIGITS[byte & 15] as number;
  }
  return text.toString('latin1');
}

/**
 * UUIDv7 (RFC 9562 section 5.7) for a given wall-clock time. Within one process, ids of the same millisecond ascend (12-bit sequence in
 * rand_a, method 1 of section 6.2).
 */
export function uuidv7(now_ms: number): string {
  if (used + 16 > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += 16;
  if (now_ms > lastMs) {
    lastMs = now_ms;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs++;
    sequence = 0;
  }
  pool.writeUIntBE(lastMs, at, 6);
  pool.writeUInt16BE(0x7000 | sequence, at + 6);
  pool[at + 8] = ((pool[at + 8] as number) & 0x3f) | 0x80;
  return uuidText(pool, at);
}

/** A UUID (version 8, RFC 9562 section 5.8) from the first 16 bytes of a hash: equal parts give equal ids. */
export function uuidOfParts(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return uuidText(bytes);
}

/** `<partition>-<uuid>`. The partition is computed once, at admission, and every later record of the call goes there. */
export function callId(partition: number, uuid: string): string {
  return `${partition}-${uuid}`;
}

const CALL_ID = /^(?:0|[1-9]\d{0,4})-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_CHARACTERS = 36;

/** The parts of a call id; undefined if the text is not a call id. */
export function parseCallId(text: string): { partition: number; uuid: string } | undefined {
  if (!CALL_ID.test(text)) return undefined;
  const uuidAt = text.length - UUID_CHARACTERS;
  return { partition: Number(text.slice(0, uuidAt - 1)), uuid: text.slice(uuidAt) };
}

/** The partition of an idempotency key (FNV-1a over its text); computed once, at admission. */
export function partitionOf(idempotencyKey: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < idempotencyKey.length; i++) hash = Math.imul(hash ^ idempotencyKey.charCodeAt(i), 0x01000193) >>> 0;
  return hash % partitions;
}

/** Key of the records of a saga on `saga-requested` and `compensation`. */
export function sagaKey(tenant_id: string, saga_id: string): string {
  return `${tenant_id}/${saga_id}`;
}

/** The partition of a saga, the same on `saga-requested` and `compensation` of its lane. */
export function sagaPartition(tenant_id: string, saga_id: string, partitions: number): number {
  return partitionOf(`${tenant_id}\n${saga_id}`, partitions);
}

/** The time in a UUIDv7, epoch ms. Meaningless for any other text. */
export function timeOfId(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
