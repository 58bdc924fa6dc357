import { baseOf, endOf, Frontier, HASH_BYTES, headName, recordHash, strictBase64, TILE_WIDTH, type TreeHead } from '@countersign/proofs';
import type { LogClient } from '../witness/log-client.js';
import type { PageDecoder } from './page-decoder.js';

/** A record of the own tenant: its bytes are hashed here. */
export interface OwnRecord {
  timestamp_ms: number;
  headers: Readonly<Record<string, string>>;
  value: Buffer;
  /** Undefined for a record that this release cannot read. */
  decoded: { event_type: string; event: unknown } | undefined;
}

/** One leaf of a tree, in the order of offsets. */
export interface FollowedLeaf {
  topic: string;
  partition: number;
  offset: number;
  hash: Buffer;
  /** Absent for records of other tenants, and for dropped ones. */
  record?: OwnRecord;
  /** Dropped by retention, or given up by a decision on the log. */
  isDropped: boolean;
}

/** The form in which a followed tree is stored. */
export interface StoredTree {
  topic: string;
  partition: number;
  name: string;
  base: number;
  size: number;
  path: string[];
}

/** A tree that a monitor hashes from the leaves that the log gives, so that they must be those that the log signed. */
export class FollowedTree {
  private queue: FollowedLeaf[] = [];

  private constructor(
    private readonly place: Pick<StoredTree, 'topic' | 'partition' | 'name' | 'base'>,
    private readonly frontier: Frontier,
  ) {}

  static of(head: TreeHead): FollowedTree {
    const { topic, partition } = head;
    return new FollowedTree({ topic, partition, name: headName(head), base: baseOf(head) }, Frontier.empty());
  }

  /** @throws RangeError for what no monitor stored */
  static stored({ size, path, ...place }: StoredTree): FollowedTree {
    const frontier = Frontier.beforeLast(size, path.map(strictBase64));
    if (!frontier) throw new RangeError(`the stored tree ${place.name} cannot be read`);
    return new FollowedTree(place, frontier);
  }

  get topic(): string {
    return this.place.topic;
  }

  get size(): number {
    return this.frontier.size;
  }

  /** The offset after its last leaf. */
  get end(): number {
    return this.place.base + this.size;
  }

  toStore(): StoredTree {
    return { ...this.place, size: this.size, path: this.frontier.pathOfNext().map((hash) => hash.toString('base64')) };
  }

  /**
   * The leaves up to this head; or why they are not those of the head. Records from `given_up` on are not read, and a head that covers them
   * is not compared. @throws LogUnavailable
   */
  async grow(client: LogClient, decoder: PageDecoder, head: TreeHead, given_up: number): Promise<FollowedLeaf[] | string> {
    const leaves: FollowedLeaf[] = [];
    while (this.size < head.size) {
      const isGivenUp = this.place.base + this.size >= given_up;
      if (this.queue.length === 0 && !isGivenUp) this.queue = await this.fetch(client, decoder, head.size);
      const leaf = isGivenUp ? this.unread() : this.queue.shift();
      if (!leaf) return `the log has no record ${this.place.base + this.size} of ${this.place.name}, which checkpoint and tree cover`;
      this.frontier.append(leaf.hash);
      leaves.push(leaf);
    }
    return endOf(head) > given_up || this.frontier.root().equals(head.root)
      ? leaves
      : `the records of ${this.place.name} up to ${head.size} are not those that were signed`;
  }

  private unread(): FollowedLeaf {
    const { topic, partition, base } = this.place;
    return { topic, partition, offset: base + this.size, hash: Buffer.alloc(HASH_BYTES), isDropped: true };
  }

  private async fetch(client: LogClient, decoder: PageDecoder, size: number): Promise<FollowedLeaf[]> {
    const { topic, partition } = this.place;
    const from = this.place.base + this.size;
    const page = await client.leaves(topic, partition, from);
    if (page.first > from) return this.dropped(client, Math.min(page.first - this.place.base, size), size);
    decoder.learn(page.schemas);
    return page.leaves.map(({ leaf, record }, at): FollowedLeaf => {
      const place = { topic, partition, offset: from + at, isDropped: false };
      if (!record) return { ...place, hash: strictBase64(leaf) };
      const value = strictBase64(record.value);
      const hash = recordHash({ ...record, topic, partition, offset: place.offset, value });
      return { ...place, hash, record: { ...record, value, decoded: decoder.decode(value) } };
    });
  }

  /** The leaf hashes of dropped records, from the tile in which the next leaf is. */
  private async dropped(client: LogClient, end: number, size: number): Promise<FollowedLeaf[]> {
    const index = Math.floor(this.size / TILE_WIDTH);
    const tile = await client.leafTile(this.place.name, index, Math.min(TILE_WIDTH, size - index * TILE_WIDTH));
    const { topic, partition, base } = this.place;
    const leaves: FollowedLeaf[] = [];
    for (let at = this.size; at < Math.min(end, (index + 1) * TILE_WIDTH); at++) {
      const byte = (at % TILE_WIDTH) * HASH_BYTES;
      leaves.push({ topic, partition, offset: base + at, hash: tile.subarray(byte, byte + HASH_BYTES), isDropped: true });
    }
    return leaves;
  }
}
