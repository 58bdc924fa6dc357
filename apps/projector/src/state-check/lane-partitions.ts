import { type CallTopic, laneTopic, parseTopic } from '@countersign/contracts';
import type { TreeSpan } from '@countersign/proofs';

/** One partition, of one lane or of several: where it is not known in which of them a call stands. */
export interface LanePartition {
  lanes: readonly string[];
  partition: number;
}

/** A topic of calls by its name in each of the lanes. */
export const topicsAt = (topic: CallTopic, { lanes }: LanePartition): string[] => lanes.map((lane) => laneTopic(topic, lane));

/** A partition of one lane, and which offsets of a topic of it its newest tree signs: from `first` up to, not including, `size`. */
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

/** Those of them by number: what is kept of calls in the database does not tell their lanes. */
export function lanesByPartition(partitions: readonly SignedPartition[]): LanePartition[] {
  const numbers = [...new Set(partitions.map(({ partition }) => partition))].sort((a, b) => a - b);
  return numbers.map((number) => ({
    partition: number,
    lanes: partitions.flatMap(({ lane, partition }) => (partition === number ? [lane] : [])),
  }));
}

/** Whole numbers from 0 up to, not including, `below`. */
export type RandomBelow = (below: number) => number;

/** A record of them that is as likely as any other; undefined where there is none. */
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
