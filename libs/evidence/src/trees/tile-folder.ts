import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HASH_BYTES, type TileAppend } from '@countersign/proofs';
import { placeOfTile, type Tiles } from './tiles.js';

/** Tiles as files: `<dir>/<tree>/<level>/<index>`. Not synced, because they can be derived from the log. */
export class TileFolder implements Tiles {
  private readonly made = new Set<string>();
  /** The tile of each tree and level that was written last: its bytes are in the page cache. */
  private readonly written = new Map<string, number>();

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
    this.written.set(`${tree}/${level}`, index);
    const handle = openSync(file, width === 0 ? 'w' : 'r+', 0o600);
    try {
      writeSync(handle, hashes, 0, hashes.length, width * HASH_BYTES);
    } finally {
      closeSync(handle);
    }
  }

  async read(tree: string, level: number, index: number): Promise<Buffer> {
    const file = this.file(tree, level, index);
    try {
      // A twentieth of the CPU of a read through the thread pool; for a tile on the disk the event loop would wait.
      return this.written.get(`${tree}/${level}`) === index ? readFileSync(file) : await readFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  }
}
