import { wireDecision } from '@countersign/evidence';
import { type CheckpointRecord, FULL_EVERY } from '@countersign/evidence/checkpoints/checkpoint-store';
import {
  type CoveredHeads,
  type Cut,
  consistencyProof,
  DECISIONS,
  entryHash,
  Frontier,
  type Generation,
  GrowingTree,
  headName,
  headProof,
  headsRoot,
  inclusionProof,
  type NoteSigner,
  type RecordProof,
  type RecordToCover,
  recordHash,
  type ServedEntries,
  type ServedEntry,
  type SubtreeHash,
  signCheckpoint,
  sortedHeads,
  subtreesOf,
  type TileAppend,
  type TreeHead,
  type WireDecision,
  wireHead,
  wireMove,
} from '@countersign/proofs';

/** The claim of one entry: the records of each tree. A dishonest history claims other records in one entry than in the next. */
export interface Claim {
  time_ms: number;
  /** Absent: an entry of an earlier release. */
  cut?: Cut | undefined;
  trees: ReadonlyMap<string, readonly RecordToCover[]>;
  /** A second head of an existing tree, which an honest log never has. */
  twice?: TreeHead;
  /** The generations of trees that are not the original ones of their partitions, by name. */
  generations?: ReadonlyMap<string, Generation>;
  /** Records of decisions that are shown with the entry, whatever they allow. */
  decisions?: readonly RecordToCover[];
}

const text = (path: readonly Buffer[]) => path.map((hash) => hash.toString('base64'));

interface Tree {
  tiles: TileAppend[];
  root: Promise<Buffer>;
  subtrees: SubtreeHash;
}

const hashed = new WeakMap<RecordToCover, Buffer>();
const trees = new WeakMap<readonly RecordToCover[], Tree>();

function leafOf(record: RecordToCover): Buffer {
  const known = hashed.get(record) ?? recordHash(record);
  hashed.set(record, known);
  return known;
}

/** The tree of some leaves, with its tiles as they would be written. */
export function grown(leaves: readonly Buffer[]): Tree {
  const tree = new GrowingTree();
  const tiles = tree.append(Buffer.concat(leaves));
  const read = async (level: number, index: number) =>
    Buffer.concat(tiles.filter((tile) => tile.level === level && tile.index === index).map(({ hashes }) => hashes));
  return { tiles, root: tree.root(), subtrees: subtreesOf(read) };
}

/** The tree of some records. */
export function treeOf(records: readonly RecordToCover[]): Tree {
  const known = trees.get(records) ?? grown(records.map(leafOf));
  trees.set(records, known);
  return known;
}

/**
 * A log as the holder of its key publishes it: every claim is an entry, every checkpoint is signed. It proves what it can from the
 * records in its last claim.
 */
export class History {
  private readonly entries: {
    entry: { number: number; time_ms: number; trees: number; heads_root: Buffer; cut?: Cut };
    heads: TreeHead[];
    note: string;
  }[] = [];

  private constructor(readonly claims: readonly Claim[]) {}

  static async publish(claims: readonly Claim[], signer: NoteSigner): Promise<History> {
    const history = new History(claims);
    const tree = Frontier.empty();
    for (const [number, claim] of claims.entries()) {
      const heads = await headsOf(claim);
      const { time_ms, cut } = claim;
      const entry = { number, time_ms, trees: heads.length, heads_root: await headsRoot(heads), ...(cut ? { cut } : {}) };
      tree.append(entryHash(entry));
      history.entries.push({ entry, heads, note: signCheckpoint({ size: number + 1, root: tree.root() }, signer) });
    }
    return history;
  }

  get size(): number {
    return this.entries.length;
  }

  /** The note of the checkpoint of this size. */
  note(size = this.size): string {
    return this.at(size - 1).note;
  }

  /** The response of `/v1/audit/checkpoint`. */
  async checkpoint(): Promise<string> {
    return this.note();
  }

  /** The response of `/v1/audit/entries`. */
  async entriesUpTo(first: number, second: number): Promise<ServedEntries> {
    const entries: ServedEntry[] = [];
    for (let number = first; number < second; number++) entries.push(await this.served(number));
    return { first, entries, checkpoint: this.note(second) };
  }

  /** The response of `/v1/audit/heads`. */
  async heads(size: number): Promise<CoveredHeads> {
    const { entry, heads, note } = this.at(size - 1);
    const path = text(await inclusionProof(this.entryTree(), entry.number, size));
    const { number, time_ms, cut } = entry;
    return { entry: { number, time_ms, path, ...(cut ? { cut } : {}) }, heads: heads.map(wireHead), checkpoint: note };
  }

  /** The proof of a record as claimed by entry `number`, under the checkpoint of a size. */
  async prove(name: string, offset: number, number: number, size = this.size): Promise<{ record: RecordToCover; proof: RecordProof }> {
    const { entry, heads } = this.at(number);
    const records = this.claims[number]?.trees.get(name) ?? [];
    const at = records.findIndex((each) => each.offset === offset);
    const record = records[at] as RecordToCover;
    const index = heads.findIndex((head) => headName(head) === name);
    const generation = heads[index]?.generation;
    const tree = treeOf(records);
    return {
      record,
      proof: {
        tree: {
          ...{ size: records.length, path: text(await inclusionProof(tree.subtrees, at, records.length)) },
          ...(generation ? { generation } : {}),
        },
        head: { index, path: text(await headProof(heads, index)) },
        entry: {
          number,
          time_ms: entry.time_ms,
          trees: entry.trees,
          ...(entry.cut ? { cut: entry.cut } : {}),
          path: text(await inclusionProof(this.entryTree(), number, size)),
        },
        checkpoint: this.note(size),
      },
    };
  }

  /** The stored data: checkpoints, the tiles of the entries, and of each tree in its last claim. */
  async stored(): Promise<{ checkpoints: CheckpointRecord[]; tiles: [tree: string, TileAppend][] }> {
    const checkpoints: CheckpointRecord[] = [];
    for (const [number, { entry, heads, note }] of this.entries.entries()) {
      const before = new Map(this.entries[number - 1]?.heads.map((head) => [headName(head), head]));
      const full = number % FULL_EVERY === 0;
      const moved = heads.filter((head) => !before.get(headName(head))?.root.equals(head.root));
      const record = { ...entry, heads_root: entry.heads_root.toString('base64'), full, heads: (full ? heads : moved).map(wireHead), note };
      const decisions = await this.decisionsOf(number);
      checkpoints.push(decisions ? { ...record, decisions } : record);
    }
    const trees = [...(this.claims.at(-1)?.trees ?? [])].flatMap(([name, records]) =>
      treeOf(records).tiles.map((tile): [string, TileAppend] => [name, tile]),
    );
    const entries = grown(this.entries.map(({ entry }) => entryHash(entry))).tiles;
    return { checkpoints, tiles: [...trees, ...entries.map((tile): [string, TileAppend] => ['checkpoints', tile])] };
  }

  private async served(number: number): Promise<ServedEntry> {
    const { entry, heads } = this.at(number);
    const before = new Map(number === 0 ? [] : this.at(number - 1).heads.map((head) => [headName(head), head]));
    const moved: ServedEntry['moved'] = [];
    for (const head of heads) {
      const name = headName(head);
      const known = before.get(name);
      if (known?.size === head.size && known.root.equals(head.root)) continue;
      moved.push(wireMove(head, await this.bestProof(number, name, known?.size ?? 0, head.size)));
    }
    const decisions = await this.decisionsOf(number);
    const { time_ms, cut } = entry;
    return { number, time_ms, moved, ...(cut ? { cut } : {}), ...(decisions ? { decisions } : {}) };
  }

  /** The decisions that an entry shows, each with its best possible path in the tree of settings. */
  private async decisionsOf(number: number): Promise<WireDecision[] | undefined> {
    const claim = this.claims[number];
    if (!claim?.decisions) return undefined;
    const settings = claim.trees.get(headName(DECISIONS)) ?? [];
    const proven = async (record: RecordToCover): Promise<WireDecision> => {
      const index = settings.indexOf(record);
      const path = index < 0 ? [] : await inclusionProof(treeOf(settings).subtrees, index, settings.length);
      return wireDecision(record, path);
    };
    return Promise.all(claim.decisions.map(proven));
  }

  private async bestProof(number: number, name: string, first: number, second: number): Promise<Buffer[]> {
    const records = this.claims[number]?.trees.get(name) ?? [];
    if (first === 0 || first >= second || records.length < second) return [];
    return consistencyProof(treeOf(records).subtrees, first, second);
  }

  private entryTree() {
    return grown(this.entries.map(({ entry }) => entryHash(entry))).subtrees;
  }

  private at(number: number) {
    return this.entries[number] as History['entries'][number];
  }
}

async function headsOf({ trees, twice, generations }: Claim): Promise<TreeHead[]> {
  const heads: TreeHead[] = twice ? [twice] : [];
  for (const [name, records] of trees) {
    const [topic, partition] = name.split(/[/#]/) as [string, string];
    const generation = generations?.get(name);
    const grown = { size: records.length, root: await treeOf(records).root };
    heads.push({ topic, partition: Number(partition), ...grown, ...(generation ? { generation } : {}) });
  }
  return sortedHeads(heads);
}
