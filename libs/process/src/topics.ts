import { callTopics, globalTopics, laneTopic } from '@countersign/contracts';
import type { TopicSpec } from '@countersign/event-log';

/** Every topic that these lanes need: the calls' with `partitions`, the global ones with one. */
export function topicSpecs(lanes: readonly string[], partitions: number): TopicSpec[] {
  return [
    ...lanes.flatMap((lane) => callTopics.map((topic) => ({ name: laneTopic(topic, lane), partitions }))),
    ...globalTopics.map((name) => ({ name, partitions: 1 })),
  ];
}
