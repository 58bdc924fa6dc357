import * as verifier from '@countersign/verifier';
import { nodeHashing } from './hashing.js';

/** The root computed from a leaf's hash and its audit path, on node:crypto; undefined if the path cannot be one of this leaf. */
export function rootFromInclusion(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | undefined {
  return verifier.rootFromInclusion(nodeHashing, leaf, { index, size }, path);
}

/** True if the leaf with this hash is at `index` of the tree with this size and root. */
export function isIncluded(leaf: Buffer, index: number, tree: verifier.TreeState, path: readonly Buffer[]): boolean {
  return verifier.isIncluded(nodeHashing, leaf, index, tree, path);
}

/** True if the second tree only appended to the first (RFC 9162 section 2.1.4.2). */
export function isConsistent(first: verifier.TreeState, second: verifier.TreeState, path: readonly Buffer[]): boolean {
  return verifier.isConsistent(nodeHashing, first, second, path);
}
