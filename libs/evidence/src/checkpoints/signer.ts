import {
  entryHash,
  GrowingTree,
  headsRoot,
  type NoteSigner,
  rootOf,
  signCheckpoint,
  sortedHeads,
  subtreesOf,
  type TreeHead,
} from '@countersign/proofs';
import { CHECKPOINTS_TREE, type TileFolder } from '../trees/tile-folder.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, storedHead, treeName } from './checkpoint-store.js';

/** Signs checkpoints one after the other. Of two that sign, each number is written by one of them. */
export class CheckpointSigner {
  private constructor(
    private readonly store: CheckpointStore,
    private readonly tiles: TileFolder,
    private readonly signer: NoteSigner,
    private readonly entries: GrowingTree,
    private readonly heads: Map<string, TreeHead>,
  ) {}

  /** Goes on after the newest checkpoint. @throws TileFault where the tiles of the entries are gone. */
  static async resume(store: CheckpointStore, tiles: TileFolder, signer: NoteSigner): Promise<CheckpointSigner> {
    const newest = await store.newest();
    const size = newest ? newest.record.number + 1 : 0;
    const read = (level: number, index: number) => tiles.read(CHECKPOINTS_TREE, level, index);
    await rootOf(subtreesOf(read), size);
    return new CheckpointSigner(store, tiles, signer, await GrowingTree.resume(size, read), new Map(newest?.heads));
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
