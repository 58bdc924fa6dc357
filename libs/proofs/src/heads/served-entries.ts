import { HASH_BYTES } from '../merkle/hashing.js';
import { strictBase64 } from '../record/strict-base64.js';
import type { TreeHead } from '../record/tree-heads.js';

/** The head of a tree as it goes over the wire and into files: topic, partition, size, root in base64. */
export type WireHead = [topic: string, partition: number, size: number, root: string];

/** A tree that moved: its new head, and the consistency proof from its head in the entry before (base64, RFC 9162 section 2.1.4.1). */
export type WireMove = [topic: string, partition: number, size: number, root: string, path: string[]];

/** One entry of the tree that checkpoints sign, with every tree that moved in it. */
export interface ServedEntry {
  number: number;
  time_ms: number;
  moved: WireMove[];
}

/** Consecutive entries, and the checkpoint of which the last of them is the last entry. */
export interface ServedEntries {
  /** Number of the first entry: the size of the checkpoint before it. */
  first: number;
  entries: ServedEntry[];
  /** C2SP signed note. */
  checkpoint: string;
}

/** The last entry of a checkpoint with the heads of all trees. */
export interface CoveredHeads {
  entry: { number: number; time_ms: number; path: string[] };
  heads: WireHead[];
  /** C2SP signed note. */
  checkpoint: string;
}

/** A tree that moved, read. */
export interface TreeMove {
  head: TreeHead;
  path: Buffer[];
}

const TOPIC = /^[A-Za-z0-9._-]{1,255}$/;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export const wireHead = ({ topic, partition, size, root }: TreeHead): WireHead => [topic, partition, size, root.toString('base64')];

/** A hash of 32 bytes. @throws RangeError for any other text */
function hashOf(text: unknown): Buffer {
  const bytes = strictBase64(String(text));
  if (bytes.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
  return bytes;
}

/** @throws RangeError where the wire says something that is no head */
export function readHead([topic, partition, size, root]: readonly unknown[]): TreeHead {
  if (typeof topic !== 'string' || !TOPIC.test(topic) || !isCount(partition) || !isCount(size)) throw new RangeError('no head of a tree');
  return { topic, partition, size, root: hashOf(root) };
}

/** @throws RangeError where the wire says something that is no move */
export function readMove([topic, partition, size, root, path]: WireMove): TreeMove {
  return { head: readHead([topic, partition, size, root]), path: readPath(path) };
}

/** @throws RangeError where one is no hash */
export function readPath(path: readonly string[]): Buffer[] {
  return path.map(hashOf);
}
