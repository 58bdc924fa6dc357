import { type Caller, Refusal } from '@countersign/calls';
import { lacking } from '@countersign/contracts';
import { isSealedBlob, openedBlob, type Personal } from '@countersign/process';
import { type Blobs, markingsOf } from '@countersign/store';

/** A blob as its readers may see it. */
export interface ReadableBlob {
  bytes: Buffer;
  /** Proxies must not cache encrypted data, or an erasure would not reach their copies. */
  sealed: boolean;
}

const noSuchBlob = (): Refusal => new Refusal('not-found', 'the blob does not exist', { reason: 'blob_not_found' });

/** Blobs that the gateway serves. */
export class BlobsService {
  constructor(
    private readonly blobs: Blobs,
    private readonly personal: Personal | undefined,
  ) {}

  /** A reader without the clearances for a blob gets 404, as if it did not exist. */
  async read({ tenant_id, clearances }: Pick<Caller, 'tenant_id' | 'clearances'>, name: string): Promise<ReadableBlob | Refusal> {
    if (lacking(markingsOf(name), clearances).length > 0) return noSuchBlob();
    const kept = await this.blobs.get(tenant_id, name);
    if (!kept) return noSuchBlob();
    const bytes = await openedBlob(this.personal, tenant_id, kept);
    if (bytes === 'erased') return new Refusal('erased', 'the blob held personal data and was erased', { reason: 'blob_erased' });
    return { bytes, sealed: isSealedBlob(kept) };
  }
}
