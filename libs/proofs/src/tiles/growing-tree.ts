import { HASH_BYTES } from '../merkle/hashing.js';
import { consistencyProof, rootOf } from '../merkle/tree.js';
import { placeInTile, type ReadTile, TileFault } from './tile-hashes.js';
import { TileNodes } from './tile-nodes.js';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-path.js';

/** Hashes to write to a tile's file at byte `width * 32`. */
export interface TileAppend {
  level: number;
  index: number;
  /** Number of hashes that the tile had before. */
  width: number;
  hashes: Buffer;
}

/** The growing tile of a level. */
interface Edge {
  index: number;
  nodes: TileNodes;
}

const emptyEdge = (index: number): Edge => ({ index, nodes: new TileNodes() });

/**
 * A tree that only grows. It keeps the growing tile of each level and returns the hashes to append to tiles. To resume after a restart it
 * needs only those tiles (`resume`).
 */
export class GrowingTree {
  private edges: Edge[] = [emptyEdge(0)];
  private leaves = 0;
  private marked: { size: number; edges: readonly Edge[] } = { size: 0, edges: [] };

  get size(): number {
    return this.leaves;
  }

  /** The size at the last `mark`, or when the tree was resumed. */
  get markedSize(): number {
    return this.marked.size;
  }

  /** Resumes a tree of `size` leaves, marked at this size. @throws TileFault if a tile is too short. */
  static async resume(size: number, readTile: ReadTile): Promise<GrowingTree> {
    const tree = new GrowingTree();
    tree.leaves = size;
    for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
      const edge = emptyEdge(Math.floor(count / TILE_WIDTH));
      const bytes = (count % TILE_WIDTH) * HASH_BYTES;
      const hashes = bytes === 0 ? Buffer.alloc(0) : await readTile(level, edge.index);
      if (hashes.length < bytes) throw new TileFault(`tile ${level}/${edge.index} is too short`);
      edge.nodes.append(hashes.subarray(0, bytes));
      tree.edges[level] = edge;
    }
    tree.mark();
    return tree;
  }

  /** Appends concatenated leaf hashes (32 bytes each). Returns what to append to which tiles, lowest level first. */
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
      const { width } = edge.nodes;
      const count = Math.min(TILE_WIDTH - width, (hashes.length - at) / HASH_BYTES);
      const part = hashes.subarray(at, at + count * HASH_BYTES);
      appends.push({ level, index: edge.index, width, hashes: part });
      edge.nodes.append(part);
      at += count * HASH_BYTES;
      if (edge.nodes.width < TILE_WIDTH) continue;
      const whole = edge.nodes.node(TILE_HEIGHT, 0) as Buffer;
      edge = emptyEdge(edge.index + 1);
      this.edges[level] = edge;
      this.push(level + 1, whole, appends);
    }
  }

  /** Marks this size as the start for `sinceMark`. Tiles that fill up later are kept until the next mark. */
  mark(): void {
    this.marked = { size: this.leaves, edges: [...this.edges] };
  }

  /** Root of all leaves. */
  root(): Promise<Buffer> {
    return rootOf((level, index) => this.subtree(level, index), this.leaves);
  }

  /** The proof that this tree only appended since the mark (RFC 9162 section 2.1.4.1). Reads no tiles. */
  async sinceMark(): Promise<Buffer[]> {
    const { size } = this.marked;
    if (size === 0 || size === this.leaves) return [];
    return consistencyProof((level, index) => this.subtree(level, index), size, this.leaves);
  }

  private async subtree(level: number, index: number): Promise<Buffer> {
    const place = placeInTile(level, index);
    for (const edges of [this.edges, this.marked.edges]) {
      const edge = edges[place.level];
      const node = edge?.index === place.index ? edge.nodes.node(place.row, place.at) : undefined;
      if (node) return node;
    }
    throw new TileFault(`the tree does not hold node ${level}/${index}`);
  }
}
