import { type EventType, eventSchemas } from '@countersign/contracts';
import { producerDocument } from './asyncapi-producers.js';

type Json = Record<string, unknown>;

/** A topic that others may read, and its events. */
interface OpenTopic {
  address: string;
  description: string;
}

const openTopics: readonly OpenTopic[] = [
  {
    address: 'audit-view',
    description:
      'Every event of the log as an audit event, where COUNTERSIGN_EXPORTS names this topic. At least once: an event has one id.',
  },
  {
    address: 'case-history-view',
    description: 'Every line of the history of every case, where COUNTERSIGN_EXPORTS names this topic. At least once: a line has one id.',
  },
  {
    address: 'trust-view',
    description: 'Trust scores of tool versions, providers and agents, published when a score moves by more than its hysteresis.',
  },
];

const text: Json = { type: 'string' };
const cloudEventHeaders: Json = {
  type: 'object',
  required: ['content-type', 'ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time'],
  properties: {
    'content-type': { const: 'application/avro' },
    ce_specversion: { const: '1.0' },
    ce_id: { ...text, description: 'Identifies the event together with ce_source; a duplicate has the same id.' },
    ce_source: { ...text, description: '/countersign/log' },
    ce_type: { ...text, description: 'reverse DNS, with the version of the schema' },
    ce_subject: text,
    ce_time: { ...text, format: 'date-time' },
    ce_tenantid: { ...text, description: 'The tenant (an extension).' },
  },
};
/** The newest schema of each event of a topic. */
function eventsOf(address: string): { event_type: EventType; schema: Json }[] {
  const newest = new Map<EventType, { version: number; schema: string }>();
  for (const { topic, event_type, version, schema } of eventSchemas) {
    if (topic === address && version > (newest.get(event_type)?.version ?? 0)) newest.set(event_type, { version, schema });
  }
  return [...newest].map(([event_type, { schema }]) => ({ event_type, schema: JSON.parse(schema) as Json }));
}

function messagesOf({ address }: OpenTopic): [string, Json][] {
  return eventsOf(address).map(({ event_type, schema }) => [
    event_type,
    {
      name: event_type,
      ...(typeof schema.doc === 'string' ? { summary: schema.doc } : {}),
      contentType: 'application/avro',
      headers: cloudEventHeaders,
      payload: { schemaFormat: 'application/vnd.apache.avro+json;version=1.9.0', schema },
    },
  ]);
}

/**
 * Topics that others may read or write on Kafka, as AsyncAPI 3: those of analysts are Avro in the Confluent wire format, with schemas in the
 * registry. `tool-executed` is none of them: it has the results of every tenant.
 */
export function asyncApiDocument(): Json {
  const producers = producerDocument();
  const messages = openTopics.flatMap(messagesOf);
  const channels = openTopics.map((topic): [string, Json] => [
    topic.address,
    {
      address: topic.address,
      description: topic.description,
      messages: Object.fromEntries(messagesOf(topic).map(([name]) => [name, { $ref: `#/components/messages/${name}` }])),
      bindings: { kafka: { topic: topic.address, bindingVersion: '0.5.0' } },
    },
  ]);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1.0.0',
      description: 'Topics of Countersign for external consumers and producers. COUNTERSIGN_TOPIC_PREFIX, if set, precedes each address.',
    },
    defaultContentType: 'application/avro',
    channels: { ...Object.fromEntries(channels), ...producers.channels },
    operations: {
      ...Object.fromEntries(
        openTopics.map(({ address }) => [`send-${address}`, { action: 'send', channel: { $ref: `#/channels/${address}` } }]),
      ),
      ...producers.operations,
    },
    components: {
      messages: { ...Object.fromEntries(messages), ...producers.components.messages },
      schemas: producers.components.schemas,
    },
  };
}
