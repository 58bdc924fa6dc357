import { equalBytes } from '../bytes/bytes.js';
import { isCount } from '../bytes/count.js';
import { HASH_BYTES, type TreeHashing } from './tree-hashing.js';

const half = (n: number) => Math.floor(n / 2);
const isOdd = (n: number) => n % 2 === 1;
const isPowerOfTwo = (n: number) => 2 ** Math.round(Math.log2(n)) === n;

/**
 * The root computed from a leaf's hash and its audit path (RFC 9162 section 2.1.3.2); undefined if the path cannot be one of this leaf in a
 * tree of this size. Compare it with a trusted root.
 */
export function rootFromInclusion<H extends Uint8Array>(
  hashing: TreeHashing<H>,
  leaf: H,
  { index, size }: { index: number; size: number },
  path: readonly Uint8Array[],
): H | undefined {
  if (!isCount(index) || !isCount(size) || index >= size) return undefined;
  let fn = index;
  let sn = size - 1;
  let root = leaf;
  for (const sibling of path) {
    if (sn === 0 || sibling.length !== HASH_BYTES) return undefined;
    if (isOdd(fn) || fn === sn) {
      root = hashing.node(sibling, root);
      while (!isOdd(fn) && fn !== 0) {
        fn = half(fn);
        sn = half(sn);
      }
    } else root = hashing.node(root, sibling);
    fn = half(fn);
    sn = half(sn);
  }
  return sn === 0 ? root : undefined;
}

/** Size and root of a tree. */
export interface TreeState {
  size: number;
  root: Uint8Array;
}

/** True if the leaf with this hash is at `index` of the tree with this size and root. */
export function isIncluded<H extends Uint8Array>(
  hashing: TreeHashing<H>,
  leaf: H,
  index: number,
  { size, root }: TreeState,
  path: readonly Uint8Array[],
): boolean {
  const found = rootFromInclusion(hashing, leaf, { index, size }, path);
  return found !== undefined && equalBytes(found, root);
}

function trivially({ empty }: TreeHashing, first: TreeState, second: TreeState, path: readonly Uint8Array[]): boolean | undefined {
  if (!isCount(first.size) || !isCount(second.size) || first.size > second.size) return false;
  if (first.size === 0) return path.length === 0 && equalBytes(first.root, empty);
  if (first.size === second.size) return path.length === 0 && equalBytes(first.root, second.root);
  if (path.length === 0 || path.some((node) => node.length !== HASH_BYTES)) return false;
  return undefined;
}

/** True if the second tree only appended to the first (RFC 9162 section 2.1.4.2). */
export function isConsistent(hashing: TreeHashing, first: TreeState, second: TreeState, path: readonly Uint8Array[]): boolean {
  const known = trivially(hashing, first, second, path);
  if (known !== undefined) return known;
  const nodes = isPowerOfTwo(first.size) ? [first.root, ...path] : [...path];
  let fn = first.size - 1;
  let sn = second.size - 1;
  while (isOdd(fn)) {
    fn = half(fn);
    sn = half(sn);
  }
  let fr = nodes[0] as Uint8Array;
  let sr = fr;
  for (const node of nodes.slice(1)) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      fr = hashing.node(node, fr);
      sr = hashing.node(node, sr);
      while (!isOdd(fn) && fn !== 0) {
        fn = half(fn);
        sn = half(sn);
      }
    } else sr = hashing.node(sr, node);
    fn = half(fn);
    sn = half(sn);
  }
  return sn === 0 && equalBytes(fr, first.root) && equalBytes(sr, second.root);
}
