import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HASH_BYTES, TILE_WIDTH, type TileAppend, tilePath } from '@countersign/proofs';

/** The tree over the checkpoints' entries; every other tree is named `<topic>/<partition>`. */
export const CHECKPOINTS_TREE = 'checkpoints';

const NAME = /^(checkpoints|[A-Za-z0-9._-]{1,255}\/\d{1,4})$/;

/**
 * The tiles of all trees: `<dir>/<tree>/<level>/<index>`, one file a tile, which grows to 8,192 bytes; a partial tile is the
 * beginning of its file. Not synced: tiles follow from the log, and what a restart finds is checked against the last checkpoint.
 */
export class TileFolder {
  private readonly made = new Set<string>();

  constructor(private readonly dir: string) {}

  private file(tree: string, level: number, index: number): string {
    if (!NAME.test(tree) || tree.includes('..')) throw new RangeError(`${tree} is not the name of a tree`);
    return join(this.dir, tree, tilePath({ level, index, width: TILE_WIDTH }));
  }

  /** Writes hashes at their place; the same again changes nothing. */
  async append(tree: string, { level, index, width, hashes }: TileAppend): Promise<void> {
    const file = this.file(tree, level, index);
    const folder = dirname(file);
    if (!this.made.has(folder)) await mkdir(folder, { recursive: true });
    this.made.add(folder);
    // Into the page cache, some hundred bytes: a round trip to the thread pool costs ten times as much, for each of three calls.
    const handle = openSync(file, width === 0 ? 'w' : 'r+');
    try {
      writeSync(handle, hashes, 0, hashes.length, width * HASH_BYTES);
    } finally {
      closeSync(handle);
    }
  }

  /** The hashes of a tile, as many as there are; empty where there is none. */
  async read(tree: string, level: number, index: number): Promise<Buffer> {
    return readFile(this.file(tree, level, index)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
  }
}
