import { createHash, hash } from 'node:crypto';

/** Bytes of every hash here: SHA-256. */
export const HASH_BYTES = 32;

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Root of the empty tree: SHA-256 of nothing (RFC 9162 section 2.1.1). */
export const EMPTY_ROOT: Buffer = hash('sha256', Buffer.alloc(0), 'buffer');

/** Hash of a leaf: SHA-256(0x00 || data) (RFC 9162 section 2.1.1). */
export function leafHash(data: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

/** Hash of an inner node: SHA-256(0x01 || left || right) (RFC 9162 section 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}
