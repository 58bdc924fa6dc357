import { isSealedBlob, openedBlob, type Personal } from '@countersign/process';
import type { Blobs } from '@countersign/store';

/** A blob as its readers may see it. */
export interface ReadableBlob {
  bytes: Buffer;
  /** It is kept sealed: nobody on the way may keep what was opened, or an erasure would not reach it. */
  sealed: boolean;
}

/** The blobs that the gateway hands out. */
export class StoredBlobs {
  constructor(
    private readonly blobs: Blobs,
    private readonly personal: Personal | undefined,
  ) {}

  /** `erased`: it was sealed, and a key is gone. */
  async read(tenant_id: string, name: string): Promise<ReadableBlob | 'erased' | undefined> {
    const kept = await this.blobs.get(tenant_id, name);
    if (!kept) return undefined;
    const bytes = await openedBlob(this.personal, tenant_id, kept);
    return bytes === 'erased' ? 'erased' : { bytes, sealed: isSealedBlob(kept) };
  }
}
