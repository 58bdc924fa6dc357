import { callTopics, evidenceTopics, globalTopics, laneTopic } from '@countersign/contracts';
import type { TopicSpec } from '@countersign/event-log';

/** The topic of every tenant's configuration. */
export const CONFIGURATION_TOPIC = 'configuration-changed';

/** The topics with a Merkle tree for each partition: the calls' topics of these lanes with `partitions`, the global ones with one. */
export function coveredTopicSpecs(lanes: readonly string[], partitions: number): TopicSpec[] {
  return [
    ...lanes.flatMap((lane) => callTopics.map((topic) => ({ name: laneTopic(topic, lane), partitions }))),
    ...globalTopics.map((name) => ({ name, partitions: 1 })),
  ];
}

/** Every topic that these lanes need. */
export function topicSpecs(lanes: readonly string[], partitions: number): TopicSpec[] {
  return [...coveredTopicSpecs(lanes, partitions), ...evidenceTopics.map((name) => ({ name, partitions: 1 }))];
}
