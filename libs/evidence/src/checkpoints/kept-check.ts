import {
  HeadsLog,
  headName,
  type NoteVerifier,
  openCheckpoint,
  openingsIn,
  readDecisions,
  strangeMove,
  type TreeHead,
} from '@countersign/proofs';
import { readDecision } from '../damage/decision-record.js';
import { BrokenRecord } from '../trees/broken-record.js';
import type { Tiles } from '../trees/tiles.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, headOf } from './checkpoint-store.js';
import { headsAt } from './heads-at.js';
import { MoveProofs, missingFrom, movedIn } from './tree-moves.js';

/** Heads that a tree must pass through while it is hashed again, by the tree's name, smallest first. */
export type TornTrees = ReadonlyMap<string, TreeHead[]>;

/** The log as its newest kept checkpoint signs it, and what of its trees must be hashed again before the next one. */
export interface KeptLog {
  log: HeadsLog;
  torn: TornTrees;
}

/**
 * Checks the kept checkpoints from this size on, in order: each is the next one, is signed, has every tree of the one
 * before, and no tree of it went back. A tree is torn where its tiles do not prove that it only grew: that is for the log
 * to tell. @throws BrokenRecord where a checkpoint contradicts the one before
 */
export async function checkKept(store: CheckpointStore, tiles: Tiles, log: NoteVerifier, size: number): Promise<KeptLog> {
  const opened = size === 0 ? HeadsLog.empty() : await headsAt(store, tiles, log, size);
  // The tiles of the entries may be torn: then all of it is checked, for which no such tile is needed.
  const seen = typeof opened === 'string' ? HeadsLog.empty() : opened;
  const from = seen.size;
  const torn = new Set<string>();
  let proofs = new MoveProofs(tiles);
  for await (const record of store.records(from)) {
    // Tiles stay in memory for as many checkpoints as are read at once, and no longer.
    if (record.number % FULL_EVERY === 0) proofs = new MoveProofs(tiles);
    for (const head of await checkNext(record, seen, proofs, log)) torn.add(headName(head));
  }
  return { log: seen, torn: torn.size === 0 ? new Map() : await passedBy(torn, store, from) };
}

async function checkNext(record: CheckpointRecord, seen: HeadsLog, proofs: MoveProofs, log: NoteVerifier): Promise<TreeHead[]> {
  const moved = nextMoves(record, seen);
  const unproven: TreeHead[] = [];
  for (const head of moved) {
    const before = seen.head(head);
    const path = await proofs.path(before, head).catch(() => undefined);
    if (!path || strangeMove(before, head, path) !== undefined) unproven.push(head);
  }
  takeEntry(record, moved, seen, log);
  return unproven;
}

/**
 * Takes a kept checkpoint as the next entry: its number, that no tree leaves or goes back, and its signature over all
 * entries. That its trees only grew is for `checkKept` to find out. @throws BrokenRecord where it does not continue the one before
 */
export function followEntry(record: CheckpointRecord, seen: HeadsLog, log: NoteVerifier): void {
  takeEntry(record, nextMoves(record, seen), seen, log);
}

const notNext = ({ number }: CheckpointRecord, reason: string) =>
  new BrokenRecord(`checkpoint ${number + 1} does not continue the one before: ${reason}`);

/** The heads that this entry moves, none of them back. @throws BrokenRecord */
function nextMoves(record: CheckpointRecord, seen: HeadsLog): TreeHead[] {
  if (record.number !== seen.size) throw notNext(record, `checkpoint ${seen.size + 1} is missing`);
  const [missing] = missingFrom(record, seen);
  if (missing) throw notNext(record, `${headName(missing)} is missing`);
  const moved = movedIn(record, seen);
  for (const head of moved) {
    const before = seen.head(head);
    if (before && head.size <= before.size) throw notNext(record, `${headName(head)} ${strangeMove(before, head, [])}`);
  }
  const openings = openingsIn(seen, moved, decisionsOf(record));
  if (typeof openings === 'string') throw notNext(record, openings);
  return moved;
}

/** @throws BrokenRecord where one cannot be read */
function decisionsOf(record: CheckpointRecord): ReturnType<typeof readDecisions> {
  try {
    return readDecisions(record.decisions ?? [], readDecision);
  } catch (cause) {
    throw notNext(record, `a decision that it depends on cannot be read (${(cause as Error).message})`);
  }
}

/** @throws BrokenRecord where the note of the entry does not sign it */
function takeEntry(record: CheckpointRecord, moved: readonly TreeHead[], seen: HeadsLog, log: NoteVerifier): void {
  seen.appendHeads(record.time_ms, moved);
  const signed = openCheckpoint(record.note, log);
  if (signed?.size !== seen.size || !signed.root.equals(seen.root())) throw notNext(record, 'it differs from what its note signs');
}

async function passedBy(torn: ReadonlySet<string>, store: CheckpointStore, from: number): Promise<TornTrees> {
  const passed = new Map<string, TreeHead[]>([...torn].map((name) => [name, []]));
  // The last head before `from` too: the tree must lead on from it.
  const before = from === 0 ? undefined : await store.at(from - 1);
  for (const [name, heads] of passed) heads.push(...(before?.heads.get(name) ? [before.heads.get(name) as TreeHead] : []));
  for await (const { heads } of store.records(from)) {
    for (const head of heads.map(headOf)) {
      const known = passed.get(headName(head));
      if (known && head.size > (known.at(-1)?.size ?? 0)) known.push(head);
    }
  }
  return passed;
}
