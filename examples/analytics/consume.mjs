// Reads `audit-view` from Kafka as anybody could: kafkajs, avsc and the schema registry, nothing of Countersign's.
//   KAFKA_BROKERS=… SCHEMA_REGISTRY_URL=… [TOPIC=audit-view] [IDLE_MS=2000] node examples/analytics/consume.mjs
// Prints what UsageFold counted, as JSON, once nothing came for IDLE_MS. Take the loop's end away to run it for good.
import avro from 'avsc';
import { Kafka, logLevel } from 'kafkajs';
import { UsageFold } from './usage-fold.mjs';

const { KAFKA_BROKERS = '', SCHEMA_REGISTRY_URL = '', TOPIC = 'audit-view', IDLE_MS = '2000' } = process.env;

const readers = new Map();
/** The reader of a schema that the registry knows; Confluent's wire format names it in bytes 1 to 4. */
async function readerOf(id) {
  if (!readers.has(id)) {
    const answer = await fetch(`${SCHEMA_REGISTRY_URL}/schemas/ids/${id}`);
    if (!answer.ok) throw new Error(`the registry answers ${answer.status} for schema ${id}`);
    readers.set(id, avro.Type.forSchema(JSON.parse((await answer.json()).schema)));
  }
  return readers.get(id);
}

const fold = new UsageFold();
const kafka = new Kafka({ clientId: 'analytics-example', brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: `analytics-example-${process.pid}`, maxWaitTimeInMs: 200 });
await consumer.connect();
await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });

let last = Date.now();
let count = 0;
await consumer.run({
  eachMessage: async ({ message }) => {
    const headers = Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]));
    const reader = await readerOf(message.value.readUInt32BE(1));
    fold.take(headers, reader.fromBuffer(message.value.subarray(5)));
    count++;
    last = Date.now();
  },
});
while (count === 0 || Date.now() - last < Number(IDLE_MS)) await new Promise((resolve) => setTimeout(resolve, 100));
process.stdout.write(`${JSON.stringify(fold.result())}\n`);
await consumer.disconnect();
