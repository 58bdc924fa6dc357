import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HASH_BYTES, TILE_WIDTH } from '@countersign/proofs';
import type { S3Bucket } from '@countersign/store';
import { placeOfTile } from '../trees/tiles.js';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/**
 * Leaf hashes of dropped records: the lowest level of their trees, in tiles of 256. They are evidence that no log can restore. They are
 * never removed.
 */
export interface DroppedLeaves {
  /** The stored hashes of a tile; empty if there is none. */
  read(tree: string, index: number): Promise<Buffer>;
  /** Stores the first hashes of a tile. */
  keep(tree: string, index: number, hashes: Buffer): Promise<void>;
  /** Resolves when the stored hashes of this tree are durable. */
  sync(tree: string): Promise<void>;
}

/** One file per tree: `<dir>/<topic>/<partition>.leaves`. */
export class DroppedFolder implements DroppedLeaves {
  constructor(private readonly dir: string) {}

  private file(tree: string): string {
    return `${join(this.dir, dirname(placeOfTile(tree, 0, 0)), '..')}.leaves`;
  }

  async read(tree: string, index: number): Promise<Buffer> {
    const handle = await open(this.file(tree), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!handle) return Buffer.alloc(0);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(TILE_BYTES), 0, TILE_BYTES, index * TILE_BYTES);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  async keep(tree: string, index: number, hashes: Buffer): Promise<void> {
    await mkdir(dirname(this.file(tree)), { recursive: true, mode: 0o700 });
    const handle = await open(this.file(tree), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await handle.write(hashes, 0, hashes.length, index * TILE_BYTES);
    } finally {
      await handle.close();
    }
  }

  /** Syncs the file and its folders: a power loss could otherwise lose the name. */
  async sync(tree: string): Promise<void> {
    for (const path of [this.file(tree), dirname(this.file(tree)), this.dir, dirname(this.dir)]) {
      const handle = await open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  }
}

/** In a bucket, for services without a shared folder. */
export class DroppedBucket implements DroppedLeaves {
  constructor(
    private readonly bucket: Pick<S3Bucket, 'get' | 'put'>,
    private readonly prefix: string,
  ) {}

  async read(tree: string, index: number): Promise<Buffer> {
    return (await this.bucket.get(this.key(tree, index))) ?? Buffer.alloc(0);
  }

  keep(tree: string, index: number, hashes: Buffer): Promise<void> {
    return this.bucket.put(this.key(tree, index), hashes);
  }

  /** Objects in a bucket are durable once written. */
  async sync(): Promise<void> {}

  private key(tree: string, index: number): string {
    return `${this.prefix}/${placeOfTile(tree, 0, index)}`;
  }
}
