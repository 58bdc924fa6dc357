// acls.mjs [--prefix PREFIX] [--lanes a,b] [--log-drops] [--producer ID[=USER]]…: sets docs/how-to/kafka-acls.md's rules on a cluster, as an
// administrator, and creates the topics of producers (COUNTERSIGN_PARTITIONS, by default 4). USER is the producer's user on the cluster, by default its id.
// The cluster and the login are COUNTERSIGN_KAFKA_*, as the services take them; COUNTERSIGN_TOPIC_PREFIX and COUNTERSIGN_LANES
// stand in for the options. Run `npm run build` first.
import { parseArgs } from 'node:util';
import { aclRules, applyAcls, producerUser } from '@countersign/event-log/kafka/acls';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { clientOptions, parseKafkaCluster } from '@countersign/process/kafka-config';
import { producerTopicSpecs } from '@countersign/process/topics';

const { values } = parseArgs({
  options: {
    prefix: { type: 'string' },
    lanes: { type: 'string' },
    'log-drops': { type: 'boolean' },
    producer: { type: 'string', multiple: true },
  },
});
const parsed = parseKafkaCluster({
  ...process.env,
  ...(values.prefix === undefined ? {} : { COUNTERSIGN_TOPIC_PREFIX: values.prefix }),
  ...(values.lanes === undefined ? {} : { COUNTERSIGN_LANES: values.lanes }),
});
if ('faults' in parsed) {
  for (const fault of parsed.faults) console.error(fault);
  process.exit(1);
}
const { config } = parsed;
const options = { ...clientOptions(config), client_id: 'countersign.acls' };
const topic_prefix = config.topic_prefix;

/** With the platform's own limits, if they do not exist. */
async function createTopics(producers) {
  const partitions = Number(process.env.COUNTERSIGN_PARTITIONS || 4);
  if (!(partitions >= 1 && partitions <= 256)) throw new Error('COUNTERSIGN_PARTITIONS is a number from 1 to 256');
  const log = await KafkaEventLog.open(options);
  try {
    const specs = producers.flatMap(({ producer_id }) => producerTopicSpecs(producer_id, partitions));
    await log.ensureTopics(specs.map((spec) => ({ ...spec, name: topic_prefix + spec.name })));
  } finally {
    await log.close();
  }
}

try {
  const producers = (values.producer ?? []).map(producerUser);
  const scope = { lanes: config.lanes, topic_prefix, log_drops: values['log-drops'] ?? false, producers };
  if (producers.length > 0) await createTopics(producers);
  await applyAcls(options, scope);
  console.log(`${aclRules(scope).length} rules set`);
} catch (cause) {
  console.error(`Kafka at ${config.brokers.join(', ')} took no rules: ${cause.message}`);
  process.exitCode = 1;
}
