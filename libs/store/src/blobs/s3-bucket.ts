import { InfrastructureFault } from '@countersign/contracts';
import { AwsClient } from 'aws4fetch';

export interface S3BucketOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, or the URL of an S3-compatible server. */
  endpoint: string;
  bucket: string;
  region: string;
  access_key_id: string;
  secret_access_key: string;
  timeout_ms?: number;
}

const TIMEOUT_MS = 20_000;

/** Objects by key in a bucket of Amazon S3 or of an S3-compatible server (path-style). A put is atomic. */
export class S3Bucket {
  private readonly client: AwsClient;

  constructor(private readonly options: S3BucketOptions) {
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = options;
    this.client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 });
  }

  /** Undefined: there is no such object. @throws InfrastructureFault */
  async get(key: string): Promise<Buffer | undefined> {
    const response = await this.send(key, { method: 'GET' });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 404) return undefined;
    if (!response.ok) throw new InfrastructureFault(`${key} could not be read: S3 responded with status ${response.status}`);
    return bytes;
  }

  /** Replaces an existing object. @throws InfrastructureFault */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    const response = await this.send(key, { method: 'PUT', body: bytes as NonNullable<RequestInit['body']> });
    await response.arrayBuffer();
    if (!response.ok) throw new InfrastructureFault(`${key} could not be stored: S3 responded with status ${response.status}`);
  }

  /** Sends any request for one object, signed. @throws InfrastructureFault if the server does not respond */
  async send(key: string, init: RequestInit): Promise<Response> {
    const { endpoint, bucket, timeout_ms } = this.options;
    try {
      const signal = AbortSignal.timeout(timeout_ms ?? TIMEOUT_MS);
      return await this.client.fetch(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`, { ...init, signal });
    } catch (cause) {
      throw new InfrastructureFault(`S3 does not respond: ${(cause as Error).message}`, { cause });
    }
  }
}
