import { HASH_BYTES, nodeHashes } from '../merkle/hashing.js';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-path.js';

/** The hashes of one tile and its inner nodes. Each node is hashed once, when both its children are known. */
export class TileNodes {
  /** Row 0 has the tile's own hashes, row r the complete nodes over 2^r of them. */
  private readonly rows: Buffer[] = [];
  private count = 0;

  constructor() {
    for (let row = 0; row <= TILE_HEIGHT; row++) this.rows.push(Buffer.allocUnsafe((TILE_WIDTH >> row) * HASH_BYTES));
  }

  /** Number of hashes in the tile, at most 256. */
  get width(): number {
    return this.count;
  }

  /** Appends concatenated hashes (32 bytes each). */
  append(hashes: Buffer): void {
    const before = this.count;
    this.count += hashes.length / HASH_BYTES;
    hashes.copy(this.row(0), before * HASH_BYTES);
    for (let row = 0; row < TILE_HEIGHT; row++) {
      const [from, to] = [before >> (row + 1), this.count >> (row + 1)];
      if (from === to) return;
      const children = this.row(row).subarray(2 * from * HASH_BYTES, 2 * to * HASH_BYTES);
      nodeHashes(children).copy(this.row(row + 1), from * HASH_BYTES);
    }
  }

  /** The node at a position of a row; undefined if the tile lacks hashes below it. */
  node(row: number, at: number): Buffer | undefined {
    if (at >= this.count >> row) return undefined;
    return Buffer.from(this.row(row).subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  }

  private row(row: number): Buffer {
    return this.rows[row] as Buffer;
  }
}
