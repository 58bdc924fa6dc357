import {
  entryHash,
  GrowingTree,
  headsRoot,
  type NoteSigner,
  openCheckpoint,
  rootOf,
  signCheckpoint,
  sortedHeads,
  subtreesOf,
  type TreeHead,
} from '@countersign/proofs';
import { BrokenRecord } from '../trees/broken-record.js';
import { CHECKPOINTS_TREE, type Tiles } from '../trees/tiles.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, storedHead, treeName } from './checkpoint-store.js';

/** Signs checkpoints one after the other. Of two that sign, each number is written by one of them. */
export class CheckpointSigner {
  private constructor(
    private readonly store: CheckpointStore,
    private readonly tiles: Tiles,
    private readonly signer: NoteSigner,
    private readonly entries: GrowingTree,
    private readonly heads: Map<string, TreeHead>,
  ) {}

  /** Goes on after the newest checkpoint. @throws BrokenRecord where the checkpoints are not what the newest of them signed. */
  static async resume(store: CheckpointStore, tiles: Tiles, signer: NoteSigner): Promise<CheckpointSigner> {
    const newest = await store.newest();
    const entries = newest ? await entriesUpTo(newest.record, store, tiles, signer) : new GrowingTree();
    return new CheckpointSigner(store, tiles, signer, entries, new Map(newest?.heads));
  }

  /** Heads of the newest checkpoint. */
  get signed(): ReadonlyMap<string, TreeHead> {
    return this.heads;
  }

  /** Signs what these trees are now. `taken`: another signs; this one is of no use any more. */
  async sign(grown: readonly TreeHead[], time_ms: number): Promise<'kept' | 'taken'> {
    for (const head of grown) this.heads.set(treeName(head.topic, head.partition), head);
    const sorted = sortedHeads(this.heads.values());
    const number = this.entries.size;
    const heads_root = await headsRoot(sorted);
    const full = number % FULL_EVERY === 0;
    const appends = this.entries.append(entryHash({ number, time_ms, trees: sorted.length, heads_root }));
    for (const part of appends) await this.tiles.append(CHECKPOINTS_TREE, part);
    const note = signCheckpoint({ size: number + 1, root: await this.entries.root() }, this.signer);
    const record: CheckpointRecord = {
      number,
      time_ms,
      trees: sorted.length,
      heads_root: heads_root.toString('base64'),
      full,
      heads: (full ? sorted : grown).map(storedHead),
      note,
    };
    return this.store.append(record);
  }
}

/** The tree that this checkpoint signed: from its tiles, or from the kept checkpoints where a crash took some of them. */
async function entriesUpTo(
  { number, note }: CheckpointRecord,
  store: CheckpointStore,
  tiles: Tiles,
  { verifier }: NoteSigner,
): Promise<GrowingTree> {
  const signed = openCheckpoint(note, verifier);
  if (!signed) throw new BrokenRecord(`checkpoint ${number} is not signed by ${verifier.vkey}: was the master key changed?`);
  const read = (level: number, index: number) => tiles.read(CHECKPOINTS_TREE, level, index);
  const known = await rootOf(subtreesOf(read), signed.size).catch(() => undefined);
  if (known?.equals(signed.root)) return GrowingTree.resume(signed.size, read);
  const entries = new GrowingTree();
  for await (const record of store.records()) {
    if (record.number > number) break;
    for (const part of entries.append(entryOf(record))) await tiles.append(CHECKPOINTS_TREE, part);
  }
  if (!(await entries.root()).equals(signed.root)) throw new BrokenRecord(`the checkpoints up to ${number} are not what it signed`);
  return entries;
}

function entryOf({ number, time_ms, trees, heads_root }: CheckpointRecord): Buffer {
  return entryHash({ number, time_ms, trees, heads_root: Buffer.from(heads_root, 'base64') });
}
