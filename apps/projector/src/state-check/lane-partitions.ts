import { type CallTopic, laneTopic, parseTopic } from '@countersign/contracts';
import type { TreeSpan } from '@countersign/proofs';

/** A partition of one lane, or of several lanes if the lane of a call is unknown. */
export interface LanePartition {
  lanes: readonly string[];
  partition: number;
}

/** The names of a call topic in each of the lanes. */
export const topicsAt = (topic: CallTopic, { lanes }: LanePartition): string[] => lanes.map((lane) => laneTopic(topic, lane));

/** A partition of one lane, and the offsets of a topic that its newest tree signs: from `first` (inclusive) to `size` (exclusive). */
export interface SignedPartition {
  lane: string;
  partition: number;
  first: number;
  size: number;
}

/** The partitions of one topic in all lanes. */
export function partitionsOf(topic: CallTopic, spans: readonly TreeSpan[]): SignedPartition[] {
  return spans.flatMap(({ head, first, end, isFrozen }) => {
    const parsed = parseTopic(head.topic);
    return parsed.topic === topic && !isFrozen ? [{ lane: parsed.lane, partition: head.partition, first, size: end }] : [];
  });
}

/** Grouped by number: the rows of calls in the database do not contain their lanes. */
export function lanesByPartition(partitions: readonly SignedPartition[]): LanePartition[] {
  const numbers = [...new Set(partitions.map(({ partition }) => partition))].sort((a, b) => a - b);
  return numbers.map((number) => ({
    partition: number,
    lanes: partitions.flatMap(({ lane, partition }) => (partition === number ? [lane] : [])),
  }));
}

/** Returns a whole number from 0 (inclusive) to `below` (exclusive). */
export type RandomBelow = (below: number) => number;

/** A uniformly random record; undefined if there is none. */
export function randomRecord(
  partitions: readonly SignedPartition[],
  random: RandomBelow,
): (SignedPartition & { offset: number }) | undefined {
  const total = partitions.reduce((sum, { first, size }) => sum + size - first, 0);
  let at = total === 0 ? 0 : random(total);
  for (const found of partitions) {
    if (at < found.size - found.first) return { ...found, offset: found.first + at };
    at -= found.size - found.first;
  }
  return undefined;
}
