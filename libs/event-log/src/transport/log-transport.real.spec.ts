import { randomUUID } from 'node:crypto';
import { KafkaEventLog } from '../kafka/kafka-event-log.js';
import { PrefixedEventLog } from '../prefixed/prefixed-event-log.js';
import { describeLogTransport } from './transport.suite.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const options = { brokers, client_id: 'transport', session_timeout_ms: 3_000, heartbeat_ms: 200 };

describeLogTransport(
  'Kafka',
  async () => {
    const prefix = `transport-${randomUUID().slice(0, 8)}-`;
    return { open: async () => new PrefixedEventLog(await KafkaEventLog.open(options), prefix), end: async () => undefined };
  },
  60_000,
);
