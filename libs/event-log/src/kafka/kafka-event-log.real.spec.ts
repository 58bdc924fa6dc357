import { describeEventLog } from '../suite.js';
import { KafkaEventLog } from './kafka-event-log.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');

describeEventLog(
  'Kafka',
  async () => ({
    open: () => KafkaEventLog.open({ brokers, client_id: 'suite', session_timeout_ms: 3_000, heartbeat_ms: 200 }),
    end: async () => {},
    single_writer: false,
    gapless: true,
  }),
  60_000,
);
