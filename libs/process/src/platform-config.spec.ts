import { describe, expect, test } from 'vitest';
import { parsePlatformConfig } from './platform-config.js';
import type { Environment } from './settings.js';

const DISTRIBUTED = {
  COUNTERSIGN_KAFKA_BROKERS: 'k:9092',
  COUNTERSIGN_SCHEMA_REGISTRY_URL: 'http://r:8080/apis/ccompat/v7',
  COUNTERSIGN_DATABASE_URL: 'postgresql://c@p/c',
  COUNTERSIGN_REDIS_URL: 'redis://r:6379',
  COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
};
const BUCKET = {
  COUNTERSIGN_S3_ENDPOINT: 'http://s3:9000',
  COUNTERSIGN_S3_BUCKET: 'blobs',
  COUNTERSIGN_S3_ACCESS_KEY_ID: 'id',
  COUNTERSIGN_S3_SECRET_ACCESS_KEY: 'secret',
};

/** The reported variables, one a line. */
function faulty(env: Environment): string[] {
  const parsed = parsePlatformConfig(env);
  return 'faults' in parsed ? parsed.faults.map((line) => line.slice(0, line.indexOf(':'))) : [];
}

describe('the configuration of the platform', () => {
  test('without variables everything is embedded; with Kafka, registry, Postgres, Redis and the master key it is distributed', () => {
    expect(parsePlatformConfig({})).toMatchObject({ config: { mode: 'embedded', s3: undefined, kafka: undefined } });
    expect(parsePlatformConfig({ ...DISTRIBUTED, ...BUCKET })).toMatchObject({
      config: { mode: 'distributed', kafka: { brokers: ['k:9092'] }, s3: { bucket: 'blobs', secret_access_key: 'secret' } },
    });
    expect(faulty({ COUNTERSIGN_KAFKA_BROKERS: ' , ', COUNTERSIGN_MASTER_KEY: DISTRIBUTED.COUNTERSIGN_MASTER_KEY })).toEqual([]);
  });

  test.each(Object.keys(DISTRIBUTED))('distributed without %s is one fault', (name) => {
    expect(faulty({ ...DISTRIBUTED, [name]: undefined })).toEqual([name]);
  });

  test.each(Object.keys(BUCKET))('a bucket without %s is one fault', (name) => {
    expect(faulty({ ...BUCKET, [name]: undefined })).toEqual([name]);
  });

  test('invalid values and incomplete groups are reported together, each variable once', () => {
    const found = faulty({
      COUNTERSIGN_LANES: 'No Lane',
      COUNTERSIGN_PARTITIONS: '0',
      COUNTERSIGN_KAFKA_BROKERS: 'k:9092',
      COUNTERSIGN_KAFKA_USERNAME: 'policy',
      COUNTERSIGN_REDIS_URL: '',
      COUNTERSIGN_S3_BUCKET: 'blobs',
    });
    expect([...found].sort()).toEqual(
      [
        'COUNTERSIGN_DATABASE_URL',
        'COUNTERSIGN_KAFKA_USERNAME and COUNTERSIGN_KAFKA_PASSWORD',
        'COUNTERSIGN_LANES',
        'COUNTERSIGN_MASTER_KEY',
        'COUNTERSIGN_PARTITIONS',
        'COUNTERSIGN_REDIS_URL',
        'COUNTERSIGN_S3_ACCESS_KEY_ID',
        'COUNTERSIGN_S3_ENDPOINT',
        'COUNTERSIGN_S3_SECRET_ACCESS_KEY',
        'COUNTERSIGN_SCHEMA_REGISTRY_URL',
      ].sort(),
    );
  });
});
