import { openedBlob, type Personal } from '@countersign/process';
import type { Blobs } from '@countersign/store';

/** The blobs that the gateway hands out. */
export class StoredBlobs {
  constructor(
    private readonly blobs: Blobs,
    private readonly personal: Personal | undefined,
  ) {}

  /** A blob as its readers may see it; `erased`: it was sealed, and a key is gone. */
  async read(tenant_id: string, name: string): Promise<Buffer | 'erased' | undefined> {
    const bytes = await this.blobs.get(tenant_id, name);
    return bytes && openedBlob(this.personal, tenant_id, bytes);
  }
}
