// Asks for one call on Kafka and waits for its answer, as JSON: kafkajs, nothing of Countersign's.
//   KAFKA_BROKERS=… PRODUCER_ID=acme node examples/producers/produce.mjs '{"tool":"write_file","inputs":{"path":"a.txt","content":"x","mode":"create"}}'
// KAFKA_USERNAME and KAFKA_PASSWORD: the producer's user, where the cluster asks for one. TOPIC_PREFIX: where the installation has one.
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';

const { KAFKA_BROKERS = '', KAFKA_USERNAME, KAFKA_PASSWORD = '', PRODUCER_ID = '', TOPIC_PREFIX = '', WAIT_MS = '30000' } = process.env;
const request = JSON.parse(process.argv[2] ?? '{}');
const request_id = request.context?.request_id ?? randomUUID();

const kafka = new Kafka({
  clientId: `${PRODUCER_ID}-example`,
  brokers: KAFKA_BROKERS.split(','),
  logLevel: logLevel.NOTHING,
  ...(KAFKA_USERNAME ? { sasl: { mechanism: 'plain', username: KAFKA_USERNAME, password: KAFKA_PASSWORD } } : {}),
});

// Listens before it asks: an answer may come within milliseconds.
const consumer = kafka.consumer({ groupId: `${TOPIC_PREFIX}producer.${PRODUCER_ID}.${randomUUID()}`, maxWaitTimeInMs: 200 });
await consumer.connect();
await consumer.subscribe({ topics: [`${TOPIC_PREFIX}tool-call-answered.to.${PRODUCER_ID}`], fromBeginning: true });
const answered = new Promise((resolve) => {
  consumer.run({
    eachMessage: async ({ message }) => {
      const { event_type, request_id: of } = Object.fromEntries(
        Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const body = JSON.parse(message.value.toString());
      if (event_type === 'tool_call_answered' && of === request_id && body.status !== 'pending_approval') resolve(body);
      // A refusal names the record by its place: kafkajs tells it below.
      if (event_type === 'tool_call_refused' && body.request.offset === place?.offset && body.request.partition === place.partition)
        resolve(body);
    },
  });
});

let place;
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
await producer.connect();
const value = { event_type: 'tool_call_requested', ...request, context: { ...request.context, request_id } };
const [sent] = await producer.send({
  topic: `${TOPIC_PREFIX}tool-call-requested.from.${PRODUCER_ID}`,
  messages: [{ key: request_id, value: JSON.stringify(value) }],
});
place = { partition: sent.partition, offset: Number(sent.baseOffset) };

const late = setTimeout(() => {
  console.error(`no answer within ${WAIT_MS} ms; the call may still end: its answer comes on the topic`);
  process.exit(1);
}, Number(WAIT_MS));
process.stdout.write(`${JSON.stringify(await answered)}\n`);
clearTimeout(late);
await producer.disconnect();
await consumer.disconnect();
