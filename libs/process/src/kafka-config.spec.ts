import { expect, test } from 'vitest';
import { clientOptions, parseKafkaCluster } from './kafka-config.js';
import { parsePlatformConfig } from './platform-config.js';

const cluster = {
  COUNTERSIGN_KAFKA_BROKERS: 'a:1, b:2',
  COUNTERSIGN_KAFKA_USERNAME: 'admin',
  COUNTERSIGN_KAFKA_PASSWORD: 'secret',
  COUNTERSIGN_KAFKA_SASL: 'scram-sha-256',
  COUNTERSIGN_KAFKA_SSL: 'true',
  COUNTERSIGN_TOPIC_PREFIX: 'acme-',
  COUNTERSIGN_LANES: 'shared,vip',
};
const others = {
  COUNTERSIGN_SCHEMA_REGISTRY_URL: 'http://registry:8080',
  COUNTERSIGN_DATABASE_URL: 'postgresql://localhost/countersign',
  COUNTERSIGN_REDIS_URL: 'redis://localhost',
  COUNTERSIGN_MASTER_KEY: Buffer.alloc(32).toString('base64'),
};

test('a client that only needs Kafka uses the same cluster settings as a service', () => {
  const alone = parseKafkaCluster(cluster);
  const service = parsePlatformConfig({ ...cluster, ...others });
  if ('faults' in alone || 'faults' in service) throw new Error(JSON.stringify([alone, service]));
  const { lanes, ...seen } = alone.config;
  expect(service.config.kafka).toMatchObject(seen);
  expect(service.config.lanes).toEqual(lanes);
  expect(clientOptions(seen)).toEqual({
    brokers: ['a:1', 'b:2'],
    sasl: { mechanism: 'scram-sha-256', username: 'admin', password: 'secret' },
    ssl: true,
  });
});

test('missing brokers and a user without a password are reported together', () => {
  expect(parseKafkaCluster({ COUNTERSIGN_KAFKA_USERNAME: 'admin' })).toEqual({
    faults: ['COUNTERSIGN_KAFKA_BROKERS: missing', 'COUNTERSIGN_KAFKA_USERNAME and COUNTERSIGN_KAFKA_PASSWORD: set both or neither'],
  });
});
