import { callTopics, evidenceTopics, globalTopics, laneTopic } from '@countersign/contracts';
import type { TopicSpec } from '@countersign/event-log';

/** Where the configuration of every tenant is recorded. */
export const CONFIGURATION_TOPIC = 'configuration-changed';

/** The topics whose partitions are trees: the calls' of these lanes with `partitions`, the global ones with one. */
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
