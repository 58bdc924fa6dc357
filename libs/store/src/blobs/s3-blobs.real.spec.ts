import { randomUUID } from 'node:crypto';
import { isInfrastructureFault } from '@countersign/contracts';
import { AwsClient } from 'aws4fetch';
import { expect, test } from 'vitest';
import { pathOf } from './blobs.js';
import { describeBlobs } from './blobs.suite.js';
import { S3Blobs, type S3BlobsOptions } from './s3-blobs.js';

function options(): S3BlobsOptions {
  const endpoint = process.env.COUNTERSIGN_TEST_S3;
  if (!endpoint) throw new Error('set COUNTERSIGN_TEST_S3');
  return {
    endpoint,
    bucket: `b-${randomUUID()}`,
    region: 'us-east-1',
    access_key_id: 'countersign',
    secret_access_key: 'countersign-secret',
  };
}

describeBlobs('a bucket', async () => {
  const at = options();
  const admin = new AwsClient({ accessKeyId: at.access_key_id, secretAccessKey: at.secret_access_key, service: 's3', region: at.region });
  await admin.fetch(`${at.endpoint}/${at.bucket}`, { method: 'PUT' });
  return {
    blobs: new S3Blobs(at),
    corrupt: async (tenant_id, name) => {
      await admin.fetch(`${at.endpoint}/${at.bucket}/${pathOf(tenant_id, name)}`, { method: 'PUT', body: 'something else' });
    },
    close: async () => undefined,
  };
});

test('a missing bucket and a server that does not respond are infrastructure faults', async () => {
  for (const at of [options(), { ...options(), endpoint: 'http://127.0.0.1:9', timeout_ms: 2000 }]) {
    const failed = await new S3Blobs(at).put('acme', Buffer.from('x'), 'text/plain').then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(isInfrastructureFault(failed)).toBe(true);
  }
});
