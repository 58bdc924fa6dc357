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

/** Where a log serves what a witness follows. */
export interface FollowedLog {
  checkpoint(): Promise<string>;
  entries(first: number, second: number): Promise<ServedEntries>;
}

/** What a witness has checked of a log, and what it has seen of it without checking its heads. */
export interface Seen {
  log: HeadsLog;
  /** The note under which all of `log` stands; undefined before the first entry. */
  note: string | undefined;
  /** A checkpoint that an earlier release cosigned without looking at heads: the log must pass through it. */
  passed?: Passed | undefined;
  /** Whether the operator of this witness has accepted that a tree goes on as another generation; none where it is left out. */
  accepts?(opening: Opening): boolean;
}

export type Judgement =
  | { kind: 'cosign'; note: string; text: string; size: number }
  | { kind: 'nothing_new' }
  /** Trees were frozen and opened again, which the operator of this witness has not accepted. */
  | { kind: 'undecided'; openings: readonly Opening[] }
  /** The log contradicts itself, or what this witness has seen. */
  | { kind: 'contradiction'; reason: string };

const contradiction = (reason: string): Judgement => ({ kind: 'contradiction', reason });

/** What has never looked at a log starts here, and checks every entry from the first. */
export const nothingSeen = (passed?: Passed): Seen => ({ log: HeadsLog.empty(), note: undefined, passed });

/**
 * Follows the log from what was seen to its newest checkpoint, entry by entry; `kept` is called for every page that was
 * verified, before the next is requested. A log that does not respond throws; that is no contradiction.
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
