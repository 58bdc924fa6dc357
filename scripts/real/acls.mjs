// acls.mjs [--prefix PREFIX] [--lanes a,b] [--log-drops]: sets docs/kafka-acls.md's rules on a cluster, as an administrator. Run `npm run build` first.
import { parseArgs } from 'node:util';
import { aclRules, applyAcls } from '@countersign/event-log/kafka/acls';

const { values } = parseArgs({
  options: {
    prefix: { type: 'string', default: '' },
    lanes: { type: 'string', default: '' },
    'log-drops': { type: 'boolean', default: false },
  },
});
const { COUNTERSIGN_KAFKA_BROKERS: brokers, COUNTERSIGN_KAFKA_USERNAME: username, COUNTERSIGN_KAFKA_PASSWORD: password } = process.env;
if (!brokers) {
  console.error('COUNTERSIGN_KAFKA_BROKERS: missing');
  process.exit(1);
}
const sasl = username ? { mechanism: 'plain', username, password: password ?? '' } : undefined;
const scope = { lanes: values.lanes.split(',').filter(Boolean), topic_prefix: values.prefix, log_drops: values['log-drops'] };
await applyAcls({ brokers: brokers.split(','), client_id: 'countersign.acls', ...(sasl ? { sasl } : {}) }, scope);
console.log(`${aclRules(scope).length} rules set`);
