import { type CoveredHeads, type HeadsLog, inclusionProof, type NoteVerifier, openHeads, subtreesOf } from '@countersign/proofs';
import { CHECKPOINTS_TREE, type Tiles } from '../trees/tiles.js';
import { type CheckpointStore, type NewestCheckpoint, storedHead } from './checkpoint-store.js';

/** The entry and the heads that a stored checkpoint covers. @throws if tiles of the entries are missing */
export async function coveredBy({ record, heads }: NewestCheckpoint, tiles: Tiles): Promise<CoveredHeads> {
  const { number, time_ms, note, cut } = record;
  const entries = subtreesOf((level, index) => tiles.read(CHECKPOINTS_TREE, level, index));
  const path = await inclusionProof(entries, number, number + 1);
  return {
    entry: { number, time_ms, path: path.map((hash) => hash.toString('base64')), ...(cut ? { cut } : {}) },
    heads: [...heads.values()].map(storedHead),
    checkpoint: note,
  };
}

/** The log at a stored checkpoint of this size (at least 1); or the reason if the stored data does not match the signature. */
export async function headsAt(store: CheckpointStore, tiles: Tiles, log: NoteVerifier, size: number): Promise<HeadsLog | string> {
  const kept = await store.at(size - 1);
  if (!kept) return `checkpoint ${size} does not exist`;
  const covered = await coveredBy(kept, tiles).catch((cause: Error) => cause);
  if (covered instanceof Error) return covered.message;
  const opened = openHeads(covered, log);
  return opened.kind === 'followed' ? opened.log : `checkpoint ${size}: ${opened.reason}`;
}
