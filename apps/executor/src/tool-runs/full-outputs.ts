import { type Logger, sealedBlob } from '@countersign/process';
import { messageOf } from '@countersign/runtimes';
import type { Blobs } from '@countersign/store';
import type { Job } from '../calls/job.js';
import { blobUrl } from './attached-blobs.js';
import type { Seen } from './recorded-result.js';

type Output = Extract<Seen, { kind: 'output' }>;

const HELD_BYTES_MAX = 128 * 1024 * 1024;
const KEEP_MS = 30_000;

/** Stores an output in full if its record has only a part. If that fails, the part is the result, with a warning. */
export class FullOutputs {
  /** Bytes being stored: beyond a limit no further output is stored. */
  private held = 0;

  constructor(
    private readonly blobs: Blobs,
    private readonly logger: Logger,
  ) {}

  /** Never rejects. */
  async keep(job: Job, { full_json = '', ...seen }: Output): Promise<Output> {
    if (this.held + full_json.length > HELD_BYTES_MAX) return without(seen, 'too many large outputs are being stored at once');
    const { opened } = job;
    const plain = Buffer.from(full_json);
    const bytes = opened && opened !== 'erased' ? sealedBlob(opened.seal, plain) : plain;
    this.held += bytes.length;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the blob store timed out')), KEEP_MS);
    });
    try {
      const kept = await Promise.race([this.blobs.put(job.tenant_id, bytes, 'application/json', job.call.authority?.markings), late]);
      const attachment = { kind: 'blob', url: blobUrl(kept.name), content_type: kept.content_type, bytes: plain.length };
      return { ...seen, attachments: [...(seen.attachments ?? []), attachment] };
    } catch (cause) {
      this.logger.warn(
        { event: 'full_output_not_stored', call_id: job.call_id, tool: job.call.tool, cause: messageOf(cause) },
        'a full output could not be stored',
      );
      return without(seen, 'the blob store failed');
    } finally {
      clearTimeout(timer);
      this.held -= bytes.length;
    }
  }
}

function without(seen: Output, why: string): Output {
  return { ...seen, warnings: [...seen.warnings, `the full output was not stored: ${why}`] };
}
