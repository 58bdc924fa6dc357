import { leafIndex } from '@countersign/verifier';
import { baseOf, endOf, generationNumber, type TreeHead, type TreePlace } from './tree-heads.js';

/**
 * The records of a partition that one tree judges: offsets `first` up to `end` (exclusive). The record at offset n is leaf n - base_offset.
 * Use only these functions to find the tree and the leaf of a record.
 */
export interface TreeSpan {
  head: TreeHead;
  first: number;
  end: number;
  /** A later generation replaced the tree: it never grows again. */
  isFrozen: boolean;
}

/** The index of a record in its tree. */
export interface LeafPlace {
  head: TreeHead;
  index: number;
}

/** Log offset of a leaf of this tree. */
export const offsetOf = (head: TreeHead, index: number): number => baseOf(head) + index;

/** The records that each tree judges. A later generation judges all records from its base offset on, even if an earlier one covers them. */
export function spansOf(heads: Iterable<TreeHead>): TreeSpan[] {
  const partitions = new Map<string, TreeHead[]>();
  for (const head of heads) {
    const name = `${head.topic}/${head.partition}`;
    const known = partitions.get(name);
    if (known) known.push(head);
    else partitions.set(name, [head]);
  }
  return [...partitions.values()].flatMap(spansOfPartition);
}

function spansOfPartition(heads: readonly TreeHead[]): TreeSpan[] {
  const newestFirst = heads.length === 1 ? heads : [...heads].sort((a, b) => generationNumber(b) - generationNumber(a));
  const spans: TreeSpan[] = [];
  let below = Number.POSITIVE_INFINITY;
  for (const head of newestFirst) {
    const first = baseOf(head);
    spans.push({ head, first, end: Math.max(first, Math.min(endOf(head), below)), isFrozen: spans.length > 0 });
    below = Math.min(below, first);
  }
  return spans.reverse();
}

/** Tree and leaf of a record; undefined if none of these trees covers it. */
export function leafAt(heads: Iterable<TreeHead>, { topic, partition, offset }: TreePlace & { offset: number }): LeafPlace | undefined {
  const own = headsOf(heads, { topic, partition });
  const span = spansOf(own).find(({ first, end }) => offset >= first && offset < end);
  return span && { head: span.head, index: leafIndex(span.head, offset) };
}

/** The offset up to which a partition is covered; 0 if no tree covers it. */
export function coveredEnd(heads: Iterable<TreeHead>, place: TreePlace): number {
  const newest = newestHead(heads, place);
  return newest ? endOf(newest) : 0;
}

/** The growing tree of a partition. */
export function newestHead(heads: Iterable<TreeHead>, place: TreePlace): TreeHead | undefined {
  return headsOf(heads, place).reduce<TreeHead | undefined>(
    (newest, head) => (newest && generationNumber(newest) > generationNumber(head) ? newest : head),
    undefined,
  );
}

function headsOf(heads: Iterable<TreeHead>, { topic, partition }: TreePlace): TreeHead[] {
  return [...heads].filter((head) => head.topic === topic && head.partition === partition);
}
