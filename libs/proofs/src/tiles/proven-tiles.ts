import { HASH_BYTES } from '../merkle/hashing.js';
import { rootOf } from '../merkle/tree.js';
import { type ReadTile, subtreesOf } from './tile-hashes.js';
import { TileNodes } from './tile-nodes.js';
import { TILE_HEIGHT, TILE_WIDTH } from './tile-path.js';

/** Maximum of cached complete tiles, 8 KiB each: those above the leaves are used often. */
const TILES_KEPT = 64;

/**
 * Reads the tiles of one tree that match its signed head. The partial tiles together determine the root; a complete tile is proven by its
 * hash in the tile above.
 */
export class ProvenTiles {
  private edge: Promise<ReadonlyMap<string, Buffer> | undefined> | undefined;

  private constructor(
    private readonly head: { size: number; root: Buffer },
    private readonly readTile: ReadTile,
    private readonly whole: Map<string, Buffer>,
  ) {}

  static of(head: { size: number; root: Buffer }, readTile: ReadTile): ProvenTiles {
    return new ProvenTiles(head, readTile, new Map());
  }

  /** The same tree under a later head that continues this one: complete tiles stay valid. */
  under(head: { size: number; root: Buffer }): ProvenTiles {
    return new ProvenTiles(head, this.readTile, this.whole);
  }

  /** The proven hashes of a tile; undefined if there is none, or if the stored hashes do not match the head. */
  async tile(level: number, index: number): Promise<Buffer | undefined> {
    const width = this.widthOf(level, index);
    if (width < TILE_WIDTH) return width === 0 ? undefined : (await this.edgeTiles())?.get(`${level}/${index}`);
    const name = `${level}/${index}`;
    const known = this.whole.get(name);
    if (known) return this.keep(name, known);
    const hashes = (await this.readTile(level, index)).subarray(0, TILE_WIDTH * HASH_BYTES);
    return (await this.isTile(level, index, hashes)) ? this.keep(name, hashes) : undefined;
  }

  /**
   * True if these hashes, from another source, are the leaf hashes of a tile. Undefined if the tiles needed to prove it do not match the
   * head.
   */
  async hasLeaves(index: number, hashes: Buffer): Promise<boolean | undefined> {
    if (this.widthOf(0, index) === TILE_WIDTH) return this.isTile(0, index, hashes);
    const edge = await this.readEdge((level, at) => (level === 0 ? Promise.resolve(hashes) : this.readTile(level, at)));
    if (!edge) return (await this.edgeTiles()) ? false : undefined;
    this.edge = Promise.resolve(edge);
    return true;
  }

  private async isTile(level: number, index: number, hashes: Buffer): Promise<boolean | undefined> {
    const above = await this.tile(level + 1, Math.floor(index / TILE_WIDTH));
    if (!above) return undefined;
    if (hashes.length !== TILE_WIDTH * HASH_BYTES) return false;
    const nodes = new TileNodes();
    nodes.append(hashes);
    const at = (index % TILE_WIDTH) * HASH_BYTES;
    return (nodes.node(TILE_HEIGHT, 0) as Buffer).equals(above.subarray(at, at + HASH_BYTES));
  }

  private widthOf(level: number, index: number): number {
    const count = Math.floor(this.head.size / TILE_WIDTH ** level);
    return Math.max(0, Math.min(TILE_WIDTH, count - index * TILE_WIDTH));
  }

  private edgeTiles(): Promise<ReadonlyMap<string, Buffer> | undefined> {
    this.edge ??= this.readEdge(this.readTile);
    return this.edge;
  }

  /** The partial tiles, if together they have the signed root. */
  private async readEdge(readTile: ReadTile): Promise<ReadonlyMap<string, Buffer> | undefined> {
    const edge = new Map<string, Buffer>();
    for (let level = 0, count = this.head.size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
      const index = Math.floor(count / TILE_WIDTH);
      const bytes = (count % TILE_WIDTH) * HASH_BYTES;
      if (bytes > 0) edge.set(`${level}/${index}`, (await readTile(level, index)).subarray(0, bytes));
    }
    const subtrees = subtreesOf(async (level, index) => edge.get(`${level}/${index}`) ?? Buffer.alloc(0));
    const root = await rootOf(subtrees, this.head.size).catch(() => undefined);
    return root?.equals(this.head.root) ? edge : undefined;
  }

  private keep(name: string, hashes: Buffer): Buffer {
    this.whole.delete(name);
    this.whole.set(name, hashes);
    for (const oldest of this.whole.keys()) {
      if (this.whole.size <= TILES_KEPT) break;
      this.whole.delete(oldest);
    }
    return hashes;
  }
}
