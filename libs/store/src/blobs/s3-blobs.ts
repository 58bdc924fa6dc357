import { InfrastructureFault } from '@countersign/contracts';
import { addressOf, type Blobs, contentTypeOf, isIntact, type KeptBlob, pathOf } from './blobs.js';
import { S3Bucket, type S3BucketOptions } from './s3-bucket.js';

export type S3BlobsOptions = S3BucketOptions;

/** Blobs in a bucket of Amazon S3 or of an S3-compatible server (path-style). A put of an existing object changes nothing. */
export class S3Blobs implements Blobs {
  private readonly bucket: S3Bucket;

  constructor(options: S3BlobsOptions) {
    this.bucket = new S3Bucket(options);
  }

  async put(tenant_id: string, bytes: Uint8Array, content_type: string, markings?: readonly string[]): Promise<KeptBlob> {
    const blob = addressOf(bytes, content_type, markings);
    const headers = {
      'content-type': blob.content_type,
      'if-none-match': '*',
      'x-amz-content-sha256': blob.name.slice(0, 64),
    };
    const response = await this.bucket.send(pathOf(tenant_id, blob.name), {
      method: 'PUT',
      headers,
      body: bytes as NonNullable<RequestInit['body']>,
    });
    await response.arrayBuffer();
    // 412: an object of this name exists, and its name is the digest of its bytes. 409: another writer is storing the same bytes.
    if (!response.ok && response.status !== 412 && response.status !== 409)
      throw new InfrastructureFault(`a blob could not be stored: S3 responded with status ${response.status}`);
    return blob;
  }

  async get(tenant_id: string, name: string): Promise<Buffer | undefined> {
    if (contentTypeOf(name) === undefined) return undefined;
    const bytes = await this.bucket.get(pathOf(tenant_id, name));
    if (!bytes) return undefined;
    if (!isIntact(name, bytes)) throw new InfrastructureFault(`the blob ${name} is damaged`);
    return bytes;
  }
}
