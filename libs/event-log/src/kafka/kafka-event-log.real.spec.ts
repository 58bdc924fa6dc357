import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { describeEventLog } from '../suite.js';
import { topicName } from '../suite-fixture.js';
import { KafkaEventLog } from './kafka-event-log.js';

// Node sees no named exports after kafkajs' first computed one.
const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;
const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');

const STALL_MS = 5_000;

describeEventLog(
  'Kafka',
  async () => ({
    open: () => KafkaEventLog.open({ brokers, client_id: 'suite', session_timeout_ms: 3_000, heartbeat_ms: 200, stall_ms: STALL_MS }),
    end: async () => {},
    single_writer: false,
    stall_ms: STALL_MS,
    gapless: true,
  }),
  60_000,
);

test('a topic is created with unlimited retention and broker timestamps', async () => {
  const log = await KafkaEventLog.open({ brokers, client_id: 'kept' });
  const name = topicName('kept-for-ever');
  await log.ensureTopics([{ name, partitions: 1 }]);
  await log.close();
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name }] });
  await admin.disconnect();
  const config = Object.fromEntries((resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [configName, configValue]));
  expect(config).toMatchObject({
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'LogAppendTime',
  });
}, 60_000);
