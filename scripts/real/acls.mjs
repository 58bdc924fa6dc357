// acls.mjs [--prefix PREFIX] [--lanes a,b] [--log-drops]: sets docs/how-to/kafka-acls.md's rules on a cluster, as an administrator.
// The cluster and the login are COUNTERSIGN_KAFKA_*, as the services take them; COUNTERSIGN_TOPIC_PREFIX and COUNTERSIGN_LANES
// stand in for the options. Run `npm run build` first.
import { parseArgs } from 'node:util';
import { aclRules, applyAcls } from '@countersign/event-log/kafka/acls';
import { clientOptions, parseKafkaCluster } from '@countersign/process/kafka-config';

const { values } = parseArgs({ options: { prefix: { type: 'string' }, lanes: { type: 'string' }, 'log-drops': { type: 'boolean' } } });
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
const scope = { lanes: config.lanes, topic_prefix: config.topic_prefix, log_drops: values['log-drops'] ?? false };
try {
  await applyAcls({ ...clientOptions(config), client_id: 'countersign.acls' }, scope);
  console.log(`${aclRules(scope).length} rules set`);
} catch (cause) {
  console.error(`Kafka at ${config.brokers.join(', ')} took no rules: ${cause.message}`);
  process.exitCode = 1;
}
