import {
  HeadsLog,
  headName,
  type NoteVerifier,
  openCheckpoint,
  openingsIn,
  readDecisions,
  strangeCut,
  strangeMove,
  type TreeHead,
} from '@countersign/proofs';
import { readDecision } from '../damage/decision-record.js';
import { BrokenRecord } from '../trees/broken-record.js';
import type { Tiles } from '../trees/tiles.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, headOf } from './checkpoint-store.js';
import { headsAt } from './heads-at.js';
import { MoveProofs, missingFrom, movedIn } from './tree-moves.js';

/** By tree name: signed heads that the tree must pass through while it is hashed again, smallest first. */
export type TornTrees = ReadonlyMap<string, TreeHead[]>;

/** The log at its newest stored checkpoint, and the trees that must be hashed again before the next one. */
export interface KeptLog {
  log: HeadsLog;
  torn: TornTrees;
}

/**
 * Checks the stored checkpoints from this size on, in order: each is the next one, is signed, contains every tree of the previous one, and
 * no tree shrank. If tiles do not prove that a tree only grew, the tree is torn: it must be hashed again from the log.
 * @throws BrokenRecord if a checkpoint contradicts the previous one
 */
export async function checkKept(store: CheckpointStore, tiles: Tiles, log: NoteVerifier, size: number): Promise<KeptLog> {
  const opened = size === 0 ? HeadsLog.empty() : await headsAt(store, tiles, log, size);
  // If the tiles of the entries are torn, start from the first checkpoint, which needs no tiles.
  const seen = typeof opened === 'string' ? HeadsLog.empty() : opened;
  const from = seen.size;
  const torn = new Set<string>();
  let proofs = new MoveProofs(tiles);
  for await (const record of store.records(from)) {
    // Drop the cached tiles regularly, to bound the memory.
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
 * Follows a stored checkpoint as the next entry: checks its number, that no tree is missing or shrank, and its signature over all entries.
 * `checkKept` also checks that trees only grew.
 * @throws BrokenRecord if it does not continue the previous one
 */
export function followEntry(record: CheckpointRecord, seen: HeadsLog, log: NoteVerifier): void {
  takeEntry(record, nextMoves(record, seen), seen, log);
}

const notNext = ({ number }: CheckpointRecord, reason: string) =>
  new BrokenRecord(`checkpoint ${number + 1} does not continue the one before: ${reason}`);

/** The heads that this entry changes; none may shrink. @throws BrokenRecord */
function nextMoves(record: CheckpointRecord, seen: HeadsLog): TreeHead[] {
  if (record.number !== seen.size) throw notNext(record, `checkpoint ${seen.size + 1} is missing`);
  const strange = strangeCut(seen.lastEntry?.cut, record.cut);
  if (strange !== undefined) throw notNext(record, `it ${strange}`);
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

/** @throws BrokenRecord if a decision is unreadable */
function decisionsOf(record: CheckpointRecord): ReturnType<typeof readDecisions> {
  try {
    return readDecisions(record.decisions ?? [], readDecision);
  } catch (cause) {
    throw notNext(record, `a decision that it depends on cannot be read (${(cause as Error).message})`);
  }
}

/** @throws BrokenRecord if the note of the entry does not sign it */
function takeEntry(record: CheckpointRecord, moved: readonly TreeHead[], seen: HeadsLog, log: NoteVerifier): void {
  seen.appendHeads(record.time_ms, moved, record.cut);
  const signed = openCheckpoint(record.note, log);
  if (signed?.size !== seen.size || !signed.root.equals(seen.root())) throw notNext(record, 'it differs from what its note signs');
}

async function passedBy(torn: ReadonlySet<string>, store: CheckpointStore, from: number): Promise<TornTrees> {
  const passed = new Map<string, TreeHead[]>([...torn].map((name) => [name, []]));
  // Includes the last head before `from`: the tree must continue it.
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
