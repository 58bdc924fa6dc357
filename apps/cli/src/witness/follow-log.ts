import { readDecision } from '@countersign/evidence';
import {
  followEntries,
  HeadsLog,
  type NoteVerifier,
  type Opening,
  openCheckpoint,
  type Passed,
  type ServedEntries,
} from '@countersign/proofs';

/** The endpoints of a log that a witness follows. */
export interface FollowedLog {
  checkpoint(): Promise<string>;
  entries(first: number, second: number): Promise<ServedEntries>;
}

/** The part of a log that a witness has checked, and a checkpoint that it has seen without checking heads. */
export interface Seen {
  log: HeadsLog;
  /** The note that covers all of `log`; undefined before the first entry. */
  note: string | undefined;
  /** A checkpoint that an earlier release cosigned without checking heads: the log must pass through it. */
  passed?: Passed | undefined;
  /** Whether the operator of this witness has accepted a new generation of a tree; absent: accepts none. */
  accepts?(opening: Opening): boolean;
}

export type Judgement =
  | { kind: 'cosign'; note: string; text: string; size: number }
  | { kind: 'nothing_new' }
  /** Trees were frozen and reopened, and the operator of this witness has not accepted it. */
  | { kind: 'undecided'; openings: readonly Opening[] }
  /** The log contradicts itself, or what this witness has seen. */
  | { kind: 'contradiction'; reason: string };

const contradiction = (reason: string): Judgement => ({ kind: 'contradiction', reason });

/** Start state without earlier checks: every entry is checked from the first one. */
export const nothingSeen = (passed?: Passed): Seen => ({ log: HeadsLog.empty(), note: undefined, passed });

/**
 * Follows the log from the last seen state to its newest checkpoint, entry by entry. Calls `kept` for every verified page before the next
 * request. Throws if the log does not respond; that is no contradiction.
 */
export async function judge(
  seen: Seen,
  served: FollowedLog,
  log: NoteVerifier,
  kept: (log: HeadsLog, note: string) => Promise<void>,
): Promise<Judgement> {
  const newest = openCheckpoint(await served.checkpoint(), log);
  if (!newest) return contradiction(`the checkpoint that the log serves is not signed by ${log.name}`);
  const last = lastSeen(seen);
  if (newest.size < last.size) return contradiction(`the log shrank: it had ${last.size} checkpoints and serves ${newest.size}`);
  if (newest.size === last.size && !newest.root.equals(last.root)) {
    return contradiction(`the log forked: it serves a different root for checkpoint ${newest.size}`);
  }
  let { log: followed, note } = seen;
  while (followed.size < newest.size) {
    const terms = { log, readDecision, passed: seen.passed };
    const page = followEntries(followed, await served.entries(followed.size, newest.size), terms);
    if (page.kind === 'refused') return contradiction(page.reason);
    const openings = page.openings.filter((opening) => seen.accepts?.(opening) !== true);
    if (openings.length > 0) return { kind: 'undecided', openings };
    ({ log: followed, note } = page);
    await kept(followed, note);
  }
  if (note === undefined || followed.size === seen.log.size) return { kind: 'nothing_new' };
  if (followed.size === newest.size && !followed.root().equals(newest.root)) {
    return contradiction(`the log forked: it serves two roots for checkpoint ${newest.size}`);
  }
  const text = openCheckpoint(note, log)?.note.text as string;
  return { kind: 'cosign', note, text, size: followed.size };
}

function lastSeen({ log, passed }: Seen): { size: number; root: Buffer } {
  const checked = { size: log.size, root: log.root() };
  return passed && passed.size > checked.size ? passed : checked;
}
