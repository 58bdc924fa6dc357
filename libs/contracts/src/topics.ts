import type { EventType, TopicName } from './generated/events.js';
import { eventSchemas } from './generated/schemas.js';

/** The topics of a call's state, causes first. Of votes it has only the attempt. */
export const callStateTopics = [
  'tool-call-requested',
  'policy-decided',
  'approval-voted',
  'approval-granted',
  'tool-executed',
] as const satisfies readonly TopicName[];

/** Topics of calls: each lane has its own set (`laneTopic`). */
export const callTopics = [...callStateTopics, 'compensation', 'saga-requested'] as const satisfies readonly TopicName[];
export type CallTopic = (typeof callTopics)[number];

/** Topics shared by all lanes, with one partition each. */
export const globalTopics = [
  'configuration-changed',
  'tool-registered',
  'security-event',
  'dead-letter',
  'operator-command',
  'trust-view',
  'record-damage',
] as const satisfies readonly TopicName[];
export type GlobalTopic = (typeof globalTopics)[number];

/** The leaves of the tree of cases. Covered by a tree like the other topics, and listed nowhere: it says of other records what they already say. */
export const CASES_TOPIC = 'cases' satisfies TopicName;

/** Evidence topics: one partition each, written only by the signer, and folded into no view. */
export const evidenceTopics = ['checkpoint-signed', CASES_TOPIC] as const satisfies readonly TopicName[];
export type EvidenceTopic = (typeof evidenceTopics)[number];

/** Topics that every process folds from the beginning, or that restore evidence: never dropped, whatever the retention of call records. */
export const carriedTopics: ReadonlySet<string> = new Set<TopicName>([
  'configuration-changed',
  'tool-registered',
  'trust-view',
  'operator-command',
  'record-damage',
  'checkpoint-signed',
  CASES_TOPIC,
]);

/** Topics for analysts, one partition each; written only if enabled (COUNTERSIGN_EXPORTS). */
export const exportTopics = ['case-history-view', 'audit-view'] as const satisfies readonly TopicName[];
export type ExportTopic = (typeof exportTopics)[number];

export const SHARED_LANE = 'shared';

/** The lane `shared` uses the bare names; any other lane uses `<topic>.<lane>`. */
export function laneTopic(topic: CallTopic, lane: string): string {
  return lane === SHARED_LANE ? topic : `${topic}.${lane}`;
}

/** Producer ids name topics: no dot, so that none is the beginning of another's. */
export const PRODUCER_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The two topics of a producer: it writes requests to the one, and only it reads the answers on the other. */
export interface ProducerTopics {
  requests: string;
  answers: string;
}

export const REQUESTS_FROM = 'tool-call-requested.from.';
export const ANSWERS_TO = 'tool-call-answered.to.';

export const producerTopics = (producer_id: string): ProducerTopics => ({
  requests: REQUESTS_FROM + producer_id,
  answers: ANSWERS_TO + producer_id,
});

/** The contract's topic and the lane of a topic name on the log. */
export function parseTopic(name: string): { topic: TopicName; lane: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { topic: name as TopicName, lane: SHARED_LANE } : { topic: name.slice(0, dot) as TopicName, lane: name.slice(dot + 1) };
}

const topicOfEvent = new Map<EventType, TopicName>(eventSchemas.map((schema) => [schema.event_type, schema.topic]));

/** The topic of an event type. */
export function topicOf(eventType: EventType): TopicName {
  return topicOfEvent.get(eventType) as TopicName;
}
