import { type HeadsLog, type NoteVerifier, openHeads } from '@countersign/proofs';
import type { CheckpointStore } from '../checkpoints/checkpoint-store.js';
import { coveredBy } from '../checkpoints/heads-at.js';
import type { Tiles } from '../trees/tiles.js';

/** The heads of all trees in the newest valid checkpoint. */
export class SignedHeads {
  private known: { note: string; log: HeadsLog } | undefined;

  constructor(
    private readonly checkpoints: Pick<CheckpointStore, 'newest'>,
    private readonly tiles: Tiles,
    private readonly verifier: NoteVerifier,
  ) {}

  /**
   * Undefined if nothing is signed yet. Skips a checkpoint that does not match its signature (the signer judges it) and returns the last
   * valid one.
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
