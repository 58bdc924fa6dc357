import type { Blobs } from '@countersign/store';

/** The blobs that the gateway hands out. */
export class StoredBlobs {
  constructor(readonly blobs: Blobs) {}
}
