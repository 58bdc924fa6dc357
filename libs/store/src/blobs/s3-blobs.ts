import { InfrastructureFault } from '@countersign/contracts';
import { AwsClient } from 'aws4fetch';
import { addressOf, type Blobs, contentTypeOf, isIntact, type KeptBlob, pathOf } from './blobs.js';

export interface S3BlobsOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, or where another server with S3's API answers. */
  endpoint: string;
  bucket: string;
  region: string;
  access_key_id: string;
  secret_access_key: string;
  timeout_ms?: number;
}

const TIMEOUT_MS = 20_000;

/** Blobs in a bucket of Amazon S3 or of a server with its API (path-style). A put that finds its object there changes nothing. */
export class S3Blobs implements Blobs {
  private readonly client: AwsClient;

  constructor(private readonly options: S3BlobsOptions) {
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = options;
    this.client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 });
  }

  async put(tenant_id: string, bytes: Uint8Array, content_type: string, markings?: readonly string[]): Promise<KeptBlob> {
    const blob = addressOf(bytes, content_type, markings);
    const headers = {
      'content-type': blob.content_type,
      'if-none-match': '*',
      'x-amz-content-sha256': blob.name.slice(0, 64),
    };
    const response = await this.send(pathOf(tenant_id, blob.name), {
      method: 'PUT',
      headers,
      body: bytes as NonNullable<RequestInit['body']>,
    });
    await response.arrayBuffer();
    // 412: an object of this name is there, and its name is the digest of its bytes. 409: another writer of the same bytes is at it.
    if (!response.ok && response.status !== 412 && response.status !== 409)
      throw new InfrastructureFault(`a blob could not be kept: S3 answered ${response.status}`);
    return blob;
  }

  async get(tenant_id: string, name: string): Promise<Buffer | undefined> {
    if (contentTypeOf(name) === undefined) return undefined;
    const response = await this.send(pathOf(tenant_id, name), { method: 'GET' });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 404) return undefined;
    if (!response.ok) throw new InfrastructureFault(`a blob could not be read: S3 answered ${response.status}`);
    if (!isIntact(name, bytes)) throw new InfrastructureFault(`the blob ${name} is damaged`);
    return bytes;
  }

  private async send(key: string, init: RequestInit): Promise<Response> {
    const { endpoint, bucket, timeout_ms } = this.options;
    try {
      const signal = AbortSignal.timeout(timeout_ms ?? TIMEOUT_MS);
      return await this.client.fetch(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`, { ...init, signal });
    } catch (cause) {
      throw new InfrastructureFault(`S3 does not answer: ${(cause as Error).message}`, { cause });
    }
  }
}
