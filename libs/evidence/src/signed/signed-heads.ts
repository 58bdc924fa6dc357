import { type HeadsLog, type NoteVerifier, openHeads } from '@countersign/proofs';
import type { CheckpointStore } from '../checkpoints/checkpoint-store.js';
import { coveredBy } from '../checkpoints/heads-at.js';
import type { Tiles } from '../trees/tiles.js';

/** The heads of all trees as the newest checkpoint signs them. */
export class SignedHeads {
  private known: { note: string; log: HeadsLog } | undefined;

  constructor(
    private readonly checkpoints: Pick<CheckpointStore, 'newest'>,
    private readonly tiles: Tiles,
    private readonly verifier: NoteVerifier,
  ) {}

  /**
   * Undefined where nothing is signed yet. A checkpoint whose parts do not add up to its signature is passed over: the signer
   * judges it, here the last one counts that did.
   */
  async newest(): Promise<HeadsLog | undefined> {
    const newest = await this.checkpoints.newest();
    if (!newest) return undefined;
    const { note } = newest.record;
    if (this.known?.note === note) return this.known.log;
    const covered = await coveredBy(newest, this.tiles).catch(() => undefined);
    const opened = covered && openHeads(covered, this.verifier);
    if (opened?.kind === 'followed') this.known = { note, log: opened.log };
    return this.known?.log;
  }
}
