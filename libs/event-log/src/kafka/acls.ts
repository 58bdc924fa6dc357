import {
  ANSWERS_TO,
  callTopics,
  carriedTopics,
  evidenceTopics,
  exportTopics,
  globalTopics,
  laneTopic,
  PRODUCER_ID,
  producerTopics,
  REQUESTS_FROM,
} from '@countersign/contracts';
import kafkajs, { type AclEntry, type Admin, type AclOperationTypes as Operation, type AclResourceTypes as Resource } from 'kafkajs';
import { KafkaClient } from './kafka-client.js';
import { type KafkaLogOptions, kafkaSettings } from './kafka-options.js';

// Node sees no named exports after kafkajs' first computed one (test runners that resolve modules themselves do, so specs would not fail).
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

export const servicePrincipals = ['gateway', 'policy', 'executor', 'orchestrator', 'projector'] as const;
export type ServicePrincipal = (typeof servicePrincipals)[number];

type PlatformTopic =
  | (typeof callTopics)[number]
  | (typeof globalTopics)[number]
  | (typeof evidenceTopics)[number]
  | (typeof exportTopics)[number];

/** Which services may write each topic (docs/how-to/kafka-acls.md): every topic that grants authority has one writer. */
export const topicWriters: Readonly<Record<PlatformTopic, readonly ServicePrincipal[]>> = {
  'tool-call-requested': ['gateway', 'orchestrator'],
  'policy-decided': ['policy'],
  'approval-voted': ['gateway'],
  'approval-granted': ['policy'],
  'tool-executed': ['executor'],
  compensation: ['orchestrator'],
  'saga-requested': ['gateway'],
  'configuration-changed': ['gateway'],
  'tool-registered': ['executor'],
  'security-event': servicePrincipals,
  'dead-letter': servicePrincipals,
  'record-damage': servicePrincipals,
  'operator-command': ['gateway'],
  'trust-view': ['projector'],
  'case-history-view': ['projector'],
  'audit-view': ['projector'],
  'checkpoint-signed': ['projector'],
  cases: ['projector'],
};

export interface AclScope {
  /** Lanes besides `shared`, which is always included. */
  lanes: readonly string[];
  /** Prefix of every topic name on a shared cluster; may be empty. */
  topic_prefix: string;
  /**
   * Lets the gateway delete old records (`POST /v1/log/drops`), except of carried topics. Kafka treats this as the right to delete the
   * topic.
   */
  log_drops?: boolean;
  /** The producers, each with its user on the cluster. */
  producers?: readonly ProducerUser[];
}

/** A producer, and its user on the cluster. */
export interface ProducerUser {
  producer_id: string;
  user: string;
}

/** Reads `<producer_id>` or `<producer_id>=<user>`. @throws if it names no producer, or the user of a service */
export function producerUser(text: string): ProducerUser {
  const [producer_id = '', user = producer_id] = text.split('=', 2);
  if (!PRODUCER_ID.test(producer_id) || user === '') throw new Error(`${text}: a producer is <producer_id> or <producer_id>=<user>`);
  if ((servicePrincipals as readonly string[]).includes(user))
    throw new Error(`${text}: ${user} is the user of a service; give the producer its own`);
  return { producer_id, user };
}

/** All rules that the platform needs on a broker that denies by default. */
export function aclRules({ lanes, topic_prefix, log_drops, producers = [] }: AclScope): AclEntry[] {
  const names = [
    ...callTopics.flatMap((topic) => [...new Set(['shared', ...lanes])].map((lane) => [topic, laneTopic(topic, lane)] as const)),
    ...[...globalTopics, ...evidenceTopics, ...exportTopics].map((topic) => [topic, topic] as const),
  ];
  const topics = names.flatMap(([topic, name]) =>
    servicePrincipals.flatMap((principal) => [
      rule(principal, AclResourceTypes.TOPIC, topic_prefix + name, AclOperationTypes.READ),
      rule(principal, AclResourceTypes.TOPIC, topic_prefix + name, AclOperationTypes.DESCRIBE),
      ...(topicWriters[topic].includes(principal)
        ? [rule(principal, AclResourceTypes.TOPIC, topic_prefix + name, AclOperationTypes.WRITE)]
        : []),
    ]),
  );
  const drops = names
    .filter(([topic]) => log_drops && !carriedTopics.has(topic))
    .map(([, name]) => rule('gateway', AclResourceTypes.TOPIC, topic_prefix + name, AclOperationTypes.DELETE));
  const groups = servicePrincipals.map((principal) =>
    rule(principal, AclResourceTypes.GROUP, topic_prefix + principal, AclOperationTypes.READ, true),
  );
  return [...topics, ...drops, ...groups, ...gatewayRules(topic_prefix), ...producers.flatMap((one) => producerRules(topic_prefix, one))];
}

/** The gateway reads the requests of every producer and answers on its topic. */
function gatewayRules(topic_prefix: string): AclEntry[] {
  const { TOPIC } = AclResourceTypes;
  const { READ, WRITE, DESCRIBE } = AclOperationTypes;
  return [
    ...[READ, DESCRIBE].map((operation) => rule('gateway', TOPIC, topic_prefix + REQUESTS_FROM, operation, true)),
    ...[WRITE, DESCRIBE].map((operation) => rule('gateway', TOPIC, topic_prefix + ANSWERS_TO, operation, true)),
  ];
}

/**
 * A producer writes its own requests, reads its own answers, and reads in groups named `producer.<id>.…`. No right to transactions: the
 * gateway reads records that a transaction has not committed.
 */
export function producerRules(topic_prefix: string, { producer_id, user }: ProducerUser): AclEntry[] {
  const { requests, answers } = producerTopics(producer_id);
  const { TOPIC, GROUP } = AclResourceTypes;
  const { READ, WRITE, DESCRIBE } = AclOperationTypes;
  return [
    ...[WRITE, DESCRIBE].map((operation) => rule(user, TOPIC, topic_prefix + requests, operation)),
    ...[READ, DESCRIBE].map((operation) => rule(user, TOPIC, topic_prefix + answers, operation)),
    rule(user, GROUP, `${topic_prefix}producer.${producer_id}.`, READ, true),
  ];
}

/** Sets `aclRules` on the cluster, as a principal that may alter it. Existing rules stay; nothing is removed. */
export async function applyAcls(options: KafkaLogOptions, scope: AclScope): Promise<void> {
  const admin: Admin = new KafkaClient(kafkaSettings(options), 'acls').kafka.admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl: aclRules(scope) });
  } finally {
    await admin.disconnect();
  }
}

function rule(principal: string, resourceType: Resource, resourceName: string, operation: Operation, prefixed = false): AclEntry {
  return {
    principal: `User:${principal}`,
    host: '*',
    resourceType,
    resourceName,
    resourcePatternType: prefixed ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
    operation,
    permissionType: AclPermissionTypes.ALLOW,
  };
}
