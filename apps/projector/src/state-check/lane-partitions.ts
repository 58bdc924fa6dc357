import { type CallTopic, laneTopic, parseTopic } from '@countersign/contracts';
import type { TreeHead } from '@countersign/proofs';

/** One partition, of one lane or of several: where it is not known in which of them a call stands. */
export interface LanePartition {
  lanes: readonly string[];
  partition: number;
}

/** A topic of calls by its name in each of the lanes. */
export const topicsAt = (topic: CallTopic, { lanes }: LanePartition): string[] => lanes.map((lane) => laneTopic(topic, lane));

/** A partition of one lane, and up to where a topic of it is signed. */
export interface SignedPartition {
  lane: string;
  partition: number;
  size: number;
}

/** The partitions of one topic in all lanes. */
export function partitionsOf(topic: CallTopic, heads: readonly TreeHead[]): SignedPartition[] {
  return heads.flatMap(({ topic: name, partition, size }) => {
    const parsed = parseTopic(name);
    return parsed.topic === topic ? [{ lane: parsed.lane, partition, size }] : [];
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
  const total = partitions.reduce((sum, { size }) => sum + size, 0);
  let at = total === 0 ? 0 : random(total);
  for (const found of partitions) {
    if (at < found.size) return { ...found, offset: at };
    at -= found.size;
  }
  return undefined;
}
