import { base64 } from '../bytes/base64.js';
import { utf8 } from '../bytes/bytes.js';
import { HASH_BYTES, type TreeHashing } from '../merkle/tree-hashing.js';
import type { Cut } from './cut.js';

/** Identifies a tree that follows a frozen one; see decisions/0029. */
export interface Generation {
  /** 2 for the first tree after the original one of a partition, then 3, and so on. */
  number: number;
  /** Log offset of leaf 0. */
  base_offset: number;
  /** event_id of the `damage_accepted` that allowed it to be opened. */
  decision: string;
}

const DECISION_ID = /^[0-9a-f-]{36}$/;

/** @throws RangeError if the input is not a generation */
export function readGeneration({ number, base_offset, decision }: Generation): Generation {
  const isCount = Number.isSafeInteger(number) && number >= 2 && Number.isSafeInteger(base_offset) && base_offset >= 0;
  if (!isCount || typeof decision !== 'string' || !DECISION_ID.test(decision)) throw new RangeError('not a generation of a tree');
  return { number, base_offset, decision };
}

/** The tree of one partition, as far as a checkpoint covers it. */
export interface TreeHead<H extends Uint8Array = Uint8Array> {
  topic: string;
  partition: number;
  size: number;
  root: H;
  /** Absent for the original tree, whose leaf 0 is the record at offset 0. */
  generation?: Generation;
}

export type TreePlace = Pick<TreeHead, 'topic' | 'partition'>;

/** Log offset of leaf 0. */
export const baseOf = ({ generation }: Pick<TreeHead, 'generation'>): number => generation?.base_offset ?? 0;

/** Leaf index in this tree for a log offset. */
export const leafIndex = (head: Pick<TreeHead, 'generation'>, offset: number): number => offset - baseOf(head);

/** `topic/partition`, and `topic/partition#2` and so on for later generations. */
export function headName({ topic, partition, generation }: TreePlace & Pick<TreeHead, 'generation'>): string {
  return generation ? `${topic}/${partition}#${generation.number}` : `${topic}/${partition}`;
}

/**
 * The hash of a head's leaf. Lines: `countersign/tree/v1`, topic, partition, size, and root in base64. For a later generation:
 * `countersign/tree/v2`, topic, partition, number, base offset, decision, size and root.
 */
export function headHash<H extends Uint8Array>(hashing: TreeHashing<H>, { topic, partition, size, root, generation }: TreeHead): H {
  const grown = `${size}\n${base64(root)}\n`;
  if (!generation) return hashing.leaf(utf8(`countersign/tree/v1\n${topic}\n${partition}\n${grown}`));
  const { number, base_offset, decision } = generation;
  return hashing.leaf(utf8(`countersign/tree/v2\n${topic}\n${partition}\n${number}\n${base_offset}\n${decision}\n${grown}`));
}

/** One entry of the tree that checkpoints sign: the state of all partitions' trees when checkpoint `number` was made. */
export interface CheckpointEntry<H extends Uint8Array = Uint8Array> {
  /** 0 for the first entry; the first checkpoint that covers it has size number + 1. */
  number: number;
  time_ms: number;
  trees: number;
  heads_root: H;
  /** Absent in entries of earlier releases, which prove no order. */
  cut?: Cut;
}

/**
 * The hash of an entry's leaf. Lines: `countersign/checkpoint/v1`, number, time in ms, number of trees, and the root of the heads in base64.
 * With a cut: `countersign/checkpoint/v2`, number, time in ms, number of trees, number and state of the cut, root of the heads.
 */
export function entryHash<H extends Uint8Array>(hashing: TreeHashing<H>, { number, time_ms, trees, heads_root, cut }: CheckpointEntry): H {
  if (heads_root.length !== HASH_BYTES) throw new RangeError('a root has 32 bytes');
  const made = `${number}\n${time_ms}\n${trees}\n`;
  if (!cut) return hashing.leaf(utf8(`countersign/checkpoint/v1\n${made}${base64(heads_root)}\n`));
  return hashing.leaf(utf8(`countersign/checkpoint/v2\n${made}${cut.number}\n${cut.state}\n${base64(heads_root)}\n`));
}
