import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HASH_BYTES, type TileAppend } from '@countersign/proofs';
import { placeOfTile, type Tiles } from './tiles.js';

/** Tiles as files: `<dir>/<tree>/<level>/<index>`. Not synced, because they can be derived from the log. */
export class TileFolder implements Tiles {
  private readonly made = new Set<string>();

  constructor(private readonly dir: string) {}

  private file(tree: string, level: number, index: number): string {
    return join(this.dir, placeOfTile(tree, level, index));
  }

  async append(tree: string, { level, index, width, hashes }: TileAppend): Promise<void> {
    const file = this.file(tree, level, index);
    const folder = dirname(file);
    if (!this.made.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    this.made.add(folder);
    // Synchronous writes of some hundred bytes into the page cache: each of the three calls would cost ten times as much through the thread
    // pool.
    const handle = openSync(file, width === 0 ? 'w' : 'r+', 0o600);
    try {
      writeSync(handle, hashes, 0, hashes.length, width * HASH_BYTES);
    } finally {
      closeSync(handle);
    }
  }

  async read(tree: string, level: number, index: number): Promise<Buffer> {
    return readFile(this.file(tree, level, index)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
  }
}
