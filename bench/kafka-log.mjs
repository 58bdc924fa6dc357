// The log on Kafka: node bench/kafka-log.mjs   (after npm run build; address in COUNTERSIGN_TEST_KAFKA, e.g. eval "$(bash scripts/real/up.sh)")
// One hop and three hops (request, ruling, result: each hop a process of its own would be a connection of its own, as here), then throughput.
import { randomUUID } from 'node:crypto';
import { KafkaEventLog } from '../libs/event-log/dist/kafka/kafka-event-log.js';

const brokers = (process.env.COUNTERSIGN_TEST_KAFKA ?? '').split(',');
const VALUE = Buffer.alloc(300, 'v');
const run = randomUUID().slice(0, 8);
const topics = ['requested', 'decided', 'executed'].map((word) => `bench-${word}-${run}`);
const open = (name) => KafkaEventLog.open({ brokers, client_id: `bench.${name}` });
const record = (topic, partition, key) => ({ topic, partition, key, value: VALUE, headers: { event_type: 'bench' } });
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);

const [gateway, policy, executor] = await Promise.all(['gateway', 'policy', 'executor'].map(open));
await gateway.ensureTopics(topics.map((name) => ({ name, partitions: 4 })));

/** Calls the waiter of each record's key. */
async function follow(log, topic, waiters) {
  const onBatch = async ({ records }) => {
    for (const { key } of records) waiters.get(key)?.();
  };
  const follower = await log.follow({ topics: [topic], visibility: 'durable', batch_records_max: 500, from: 'head', onBatch });
  await follower.caughtUp();
}

/** Every record of one topic answered by one on the next. */
function relay(log, from, to) {
  const onBatch = async ({ partition, records }) => {
    await log.append(records.map(({ key }) => record(to, partition, key)));
  };
  return log.subscribe({ group: `bench-${from}`, topics: [from], visibility: 'durable', batch_records_max: 500, onBatch });
}

async function calls(count, in_flight, waiters, send) {
  const times = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const key = `k-${next}`;
      const partition = next++ % 4;
      const start = performance.now();
      const seen = new Promise((resolve) => waiters.set(key, resolve));
      await Promise.all([send(key, partition), seen]);
      waiters.delete(key);
      times.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: in_flight }, caller));
  const sorted = times.sort((a, b) => a - b);
  return `${((count / (performance.now() - start)) * 1000).toFixed(0)} a second, p50 ${quantile(sorted, 0.5)} ms, p99 ${quantile(sorted, 0.99)} ms`;
}

const requested = new Map();
const executed = new Map();
await follow(gateway, topics[0], requested);
const send = (key, partition) => gateway.append([record(topics[0], partition, key)]);
await calls(100, 1, requested, send);
console.log('one hop, one at a time:   ', await calls(500, 1, requested, send));
await follow(gateway, topics[2], executed);
const relays = await Promise.all([relay(policy, topics[0], topics[1]), relay(executor, topics[1], topics[2])]);
await Promise.all(relays.map((running) => running.caughtUp()));
await calls(100, 1, executed, send);
console.log('three hops, one at a time:', await calls(500, 1, executed, send));
console.log('three hops, 64 in flight: ', await calls(10_000, 64, executed, send));
console.log('three hops, 256 in flight:', await calls(20_000, 256, executed, send));
await Promise.all([gateway, policy, executor].map((log) => log.close()));
