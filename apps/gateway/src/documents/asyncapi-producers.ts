import { ANSWERS_TO, producerSchemas, REQUESTS_FROM } from '@countersign/contracts';
import { callEnvelope } from '../calls/envelope.schema.js';
import { producedCall, producedCancel } from '../producers/producer-record.schemas.js';
import { componentSchemas, type Json } from './component-schemas.js';
import { problemSchema } from './problem-schema.js';

/** A form in which a message is written. */
interface Form {
  message: string;
  contentType: string;
  payload: Json;
  summary: string;
}

const JSON_TYPE = 'application/json';

const recordTypes = ['tool_call_requested', 'tool_call_cancel_requested'] as const;

function formsOf(record_type: (typeof recordTypes)[number]): Form[] {
  const zod = record_type === 'tool_call_requested' ? producedCall : producedCancel;
  const { subject, schema } = producerSchemas[record_type];
  const avro = { schemaFormat: 'application/vnd.apache.avro+json;version=1.9.0', schema: JSON.parse(schema) as Json };
  const summary = record_type === 'tool_call_requested' ? 'asks for a call' : 'asks to cancel a call before it fires';
  return [
    { message: `${record_type}_json`, contentType: JSON_TYPE, payload: componentSchemas(zod, 'input').schema, summary },
    {
      message: `${record_type}_avro`,
      contentType: 'application/avro',
      payload: avro,
      summary: `${summary}: in the wire format of the registry, which has this schema under ${subject}`,
    },
  ];
}

const answerForms = (): Form[] => [
  {
    message: 'tool_call_answered',
    contentType: JSON_TYPE,
    payload: componentSchemas(callEnvelope, 'output').schema,
    summary: 'the call ended, is in doubt, or waits for a person. The header request_id is that of the request',
  },
  {
    message: 'tool_call_refused',
    contentType: JSON_TYPE,
    payload: componentSchemas(problemSchema, 'output').schema,
    summary: 'a record that was not taken, as a problem document. `instance` and `request` are the place of the record',
  },
];

const answerHeaders: Json = {
  type: 'object',
  required: ['event_type'],
  properties: { event_type: { type: 'string' }, request_id: { type: 'string' }, 'content-type': { const: JSON_TYPE } },
};

const requestHeaders: Json = {
  type: 'object',
  properties: { traceparent: { type: 'string', description: 'W3C trace context: the trace that the call belongs to' } },
};

const messagesOf = (forms: readonly Form[], headers: Json): Json =>
  Object.fromEntries(
    forms.map(({ message, contentType, payload, summary }) => [message, { name: message, summary, contentType, headers, payload }]),
  );

const channel = (address: string, description: string, forms: readonly Form[]): Json => ({
  address: `${address}{producer_id}`,
  description,
  parameters: { producer_id: { description: 'the id of the producer: see POST /v1/producers' } },
  messages: Object.fromEntries(forms.map(({ message }) => [message, { $ref: `#/components/messages/${message}` }])),
});

/** The topics of producers, for the AsyncAPI document. */
export function producerDocument(): { channels: Json; operations: Json; components: { messages: Json; schemas: Json } } {
  const [requests, answers] = [recordTypes.flatMap(formsOf), answerForms()];
  return {
    channels: {
      'producer-requests': channel(
        REQUESTS_FROM,
        'Requests of one producer, on any partition. Kafka: WRITE and DESCRIBE for its user alone; the gateway reads. Records expire after a week.',
        requests,
      ),
      'producer-answers': channel(
        ANSWERS_TO,
        'Answers to one producer, at least once. Kafka: READ and DESCRIBE for its user alone, in groups `producer.<producer_id>.…`; the gateway writes. Records expire after a week.',
        answers,
      ),
    },
    operations: {
      'receive-producer-requests': { action: 'receive', channel: { $ref: '#/channels/producer-requests' } },
      'send-producer-answers': { action: 'send', channel: { $ref: '#/channels/producer-answers' } },
    },
    components: {
      messages: { ...messagesOf(requests, requestHeaders), ...messagesOf(answers, answerHeaders) },
      schemas: Object.assign(
        {},
        ...[producedCall, producedCancel].map((type) => componentSchemas(type, 'input').components),
        ...[callEnvelope, problemSchema].map((type) => componentSchemas(type, 'output').components),
      ) as Json,
    },
  };
}
