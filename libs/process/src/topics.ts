import { CASES_TOPIC, callTopics, evidenceTopics, globalTopics, laneTopic, producerTopics } from '@countersign/contracts';
import type { TopicSpec } from '@countersign/event-log';

/** The topic of every tenant's configuration. */
export const CONFIGURATION_TOPIC = 'configuration-changed';

/** The topics with a Merkle tree for each partition: the calls' topics of these lanes with `partitions`, the global ones and that of cases with one. */
export function coveredTopicSpecs(lanes: readonly string[], partitions: number): TopicSpec[] {
  return [
    ...lanes.flatMap((lane) => callTopics.map((topic) => ({ name: laneTopic(topic, lane), partitions }))),
    ...[...globalTopics, CASES_TOPIC].map((name) => ({ name, partitions: 1 })),
  ];
}

const uncovered = evidenceTopics.filter((name) => name !== CASES_TOPIC);

/** Every topic that these lanes need. */
export function topicSpecs(lanes: readonly string[], partitions: number): TopicSpec[] {
  return [...coveredTopicSpecs(lanes, partitions), ...uncovered.map((name) => ({ name, partitions: 1 }))];
}

/** A week. What is admitted and answered is on the platform's own record. */
const OUTSIDE_RETENTION_MS = 7 * 86_400_000;
/** A batch of requests. One request has at most 1 MB. */
const REQUEST_BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** An answer may hold the inputs and the output of a call. */
const ANSWER_BATCH_BYTES_MAX = 8 * 1024 * 1024;

/** The two topics of a producer. */
export function producerTopicSpecs(producer_id: string, partitions: number): TopicSpec[] {
  const { requests, answers } = producerTopics(producer_id);
  const spec = (name: string, batch_bytes_max: number): TopicSpec => ({
    name,
    partitions,
    outside: { retention_ms: OUTSIDE_RETENTION_MS, batch_bytes_max },
  });
  return [spec(requests, REQUEST_BATCH_BYTES_MAX), spec(answers, ANSWER_BATCH_BYTES_MAX)];
}
