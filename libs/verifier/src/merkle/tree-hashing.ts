/** Length of a hash in bytes: SHA-256. */
export const HASH_BYTES = 32;

/** The two hashes of a Merkle tree (RFC 9162 section 2.1.1). `H` is how the platform holds bytes. */
export interface TreeHashing<H extends Uint8Array = Uint8Array> {
  /** Hash of a leaf: SHA-256(0x00 || data). */
  leaf(data: Uint8Array): H;
  /** The hash of a leaf that already has its 0x00 prefix. */
  prefixedLeaf(leaf: Uint8Array): H;
  /** Hash of an inner node: SHA-256(0x01 || left || right). */
  node(left: Uint8Array, right: Uint8Array): H;
  /** Root of the empty tree: SHA-256 of nothing. */
  readonly empty: H;
}

/** The hashes of trees on any SHA-256. */
export function treeHashing(sha256: (data: Uint8Array) => Uint8Array): TreeHashing {
  // reused because every function here is synchronous
  const inner = new Uint8Array(1 + 2 * HASH_BYTES);
  inner[0] = 1;
  return {
    empty: sha256(new Uint8Array(0)),
    prefixedLeaf: sha256,
    leaf(data) {
      const leaf = new Uint8Array(1 + data.length);
      leaf.set(data, 1);
      return sha256(leaf);
    },
    node(left, right) {
      inner.set(left, 1);
      inner.set(right, 1 + HASH_BYTES);
      return sha256(inner);
    },
  };
}
