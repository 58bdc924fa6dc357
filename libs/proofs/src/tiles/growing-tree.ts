import { HASH_BYTES } from '../merkle/hashing.js';
import { rootOf } from '../merkle/tree.js';
import { foldHashes, subtreesOf } from './tile-hashes.js';
import { TILE_WIDTH } from './tile-path.js';

/** Hashes to append to a tile's file at `width * 32`. */
export interface TileAppend {
  level: number;
  index: number;
  /** Hashes that the tile had before. */
  width: number;
  hashes: Buffer;
}

interface Edge {
  /** Index of the tile that grows. */
  index: number;
  width: number;
  hashes: Buffer;
}

const emptyEdge = (index: number): Edge => ({ index, width: 0, hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES) });

/**
 * A tree that only grows: keeps the growing tile of each level and says which hashes belong to which tile. What it needs
 * to go on after a restart is those tiles (`resume`).
 */
export class GrowingTree {
  private readonly edges: Edge[] = [emptyEdge(0)];
  private leaves = 0;

  get size(): number {
    return this.leaves;
  }

  /** Takes up a tree of `size` leaves. @throws TileFault where a tile is too short for it. */
  static async resume(size: number, readTile: (level: number, index: number) => Promise<Buffer>): Promise<GrowingTree> {
    const tree = new GrowingTree();
    tree.leaves = size;
    for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
      const edge = emptyEdge(Math.floor(count / TILE_WIDTH));
      edge.width = count % TILE_WIDTH;
      if (edge.width > 0) {
        const hashes = await readTile(level, edge.index);
        if (hashes.length < edge.width * HASH_BYTES) throw new Error(`tile ${level}/${edge.index} is too short`);
        hashes.copy(edge.hashes, 0, 0, edge.width * HASH_BYTES);
      }
      tree.edges[level] = edge;
    }
    return tree;
  }

  /** Appends leaf hashes (32 bytes each, one after the other) and answers what to append to which tiles, lowest level first. */
  append(leafHashes: Buffer): TileAppend[] {
    const appends: TileAppend[] = [];
    this.push(0, leafHashes, appends);
    this.leaves += leafHashes.length / HASH_BYTES;
    return appends.sort((a, b) => a.level - b.level || a.index - b.index);
  }

  private push(level: number, hashes: Buffer, appends: TileAppend[]): void {
    this.edges[level] ??= emptyEdge(0);
    let edge = this.edges[level] as Edge;
    for (let at = 0; at < hashes.length; ) {
      const count = Math.min(TILE_WIDTH - edge.width, (hashes.length - at) / HASH_BYTES);
      const part = hashes.subarray(at, at + count * HASH_BYTES);
      appends.push({ level, index: edge.index, width: edge.width, hashes: part });
      part.copy(edge.hashes, edge.width * HASH_BYTES);
      edge.width += count;
      at += count * HASH_BYTES;
      if (edge.width < TILE_WIDTH) continue;
      const full = edge.hashes;
      edge = emptyEdge(edge.index + 1);
      this.edges[level] = edge;
      this.push(level + 1, foldHashes(full), appends);
    }
  }

  /** Root of all leaves. */
  root(): Promise<Buffer> {
    const readEdge = async (level: number) => {
      const { hashes, width } = this.edges[level] as Edge;
      return hashes.subarray(0, width * HASH_BYTES);
    };
    return rootOf(subtreesOf(readEdge), this.leaves);
  }
}
