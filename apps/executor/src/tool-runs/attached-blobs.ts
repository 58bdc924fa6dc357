import { types } from 'node:util';
import type { Attachment } from '@countersign/contracts';
import { sealedBlob } from '@countersign/process';
import { BLOB_BYTES_MAX, type Blobs } from '@countersign/store';
import { type ToolAttachment, type ToolBlob, ToolError } from '@countersign/tool-kit';
import type { Job } from '../calls/job.js';

const ATTACHMENTS_MAX = 50;
const BYTES_MAX = 2 * BLOB_BYTES_MAX;
const KINDS: ReadonlySet<string> = new Set(['blob', 'image', 'table']);

/** URL path of a stored blob at the gateway. */
export const blobUrl = (name: string): string => `/v1/blobs/${name}`;

/** The attachments of one run, stored before the run continues. */
export class AttachedBlobs {
  readonly list: Attachment[] = [];
  private count = 0;
  private bytes = 0;

  constructor(
    private readonly blobs: Blobs,
    private readonly job: Pick<Job, 'tenant_id' | 'opened' | 'call'>,
  ) {}

  /** @throws ToolError if it is too large or cannot be stored. */
  async add({ kind, content_type, data }: ToolBlob): Promise<ToolAttachment> {
    if (typeof content_type !== 'string' || !(typeof data === 'string' || types.isUint8Array(data)))
      throw new ToolError('VALIDATION_ERROR', 'an attachment needs data (text or bytes) and a content_type');
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (!KINDS.has(kind))
      throw new ToolError('VALIDATION_ERROR', `kind of an attachment must be blob, image or table, not ${String(kind)}`);
    this.count++;
    this.bytes += bytes.byteLength;
    if (this.count > ATTACHMENTS_MAX || bytes.byteLength > BLOB_BYTES_MAX || this.bytes > BYTES_MAX)
      throw new ToolError('VALIDATION_ERROR', `a run attaches at most ${ATTACHMENTS_MAX} blobs and ${BYTES_MAX} bytes`);
    try {
      const { tenant_id, opened, call } = this.job;
      const stored = opened && opened !== 'erased' ? sealedBlob(opened.seal, bytes) : bytes;
      const kept = await this.blobs.put(tenant_id, stored, content_type, call.authority?.markings);
      const attachment = { kind, url: blobUrl(kept.name), content_type: kept.content_type, bytes: bytes.byteLength };
      this.list.push(attachment);
      return attachment;
    } catch (cause) {
      throw new ToolError('PROVIDER_ERROR', `the attachment could not be stored: ${(cause as Error).message}`, { retryable: true });
    }
  }
}
