import { hash } from 'node:crypto';
import { HASH_BYTES, type TreeHashing } from '@countersign/verifier';

export { HASH_BYTES };

/** Root of the empty tree: SHA-256 of nothing (RFC 9162 section 2.1.1). */
export const EMPTY_ROOT: Buffer = hash('sha256', Buffer.alloc(0), 'buffer');

/** Buffer for the input of a node hash, reused because every function here is synchronous. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** SHA-256 as a latin1 text: a fifth of the cost of a Hash object and its Buffer. */
const sha256 = (data: Uint8Array): string => hash('sha256', data, 'binary');

/** Hash of a leaf: SHA-256(0x00 || data) (RFC 9162 section 2.1.1). */
export function leafHash(data: Uint8Array): Buffer {
  const leaf = Buffer.allocUnsafe(1 + data.length);
  leaf[0] = 0;
  leaf.set(data, 1);
  return prefixedLeafHash(leaf);
}

/** The hash of a leaf that already has its 0x00 prefix. */
export function prefixedLeafHash(leaf: Uint8Array): Buffer {
  return Buffer.from(sha256(leaf), 'latin1');
}

/** Hash of an inner node: SHA-256(0x01 || left || right) (RFC 9162 section 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return Buffer.from(sha256(node), 'latin1');
}

/** Hashes of the parent nodes of adjacent pairs: half as many, concatenated. */
export function nodeHashes(hashes: Buffer): Buffer {
  const nodes = Buffer.allocUnsafe(hashes.length / 2);
  for (let at = 0; at < hashes.length; at += 2 * HASH_BYTES) {
    hashes.copy(node, 1, at, at + 2 * HASH_BYTES);
    nodes.write(sha256(node), at / 2, 'latin1');
  }
  return nodes;
}

/** The hashes of trees on node:crypto, for the verifier. */
export const nodeHashing: TreeHashing<Buffer> = { leaf: leafHash, prefixedLeaf: prefixedLeafHash, node: nodeHash, empty: EMPTY_ROOT };
