import { readCut } from '@countersign/verifier';
import { openCheckpoint } from '../note/checkpoint.js';
import type { NoteVerifier } from '../note/note-key.js';
import { HeadsLog } from './heads-log.js';
import type { Opening } from './openings.js';
import {
  type CoveredHeads,
  type ReadDecision,
  readDecisions,
  readHead,
  readMove,
  readPath,
  type ServedEntries,
  wireHead,
} from './served-entries.js';

type Refused = { kind: 'refused'; reason: string };
export type Opened = { kind: 'followed'; log: HeadsLog; note: string } | Refused;

/** `openings`: generations that entries of the page opened, with their decisions. The caller decides whether to accept them. */
export type Followed = { kind: 'followed'; log: HeadsLog; note: string; openings: readonly Opening[] } | Refused;

const refused = (reason: string): Refused => ({ kind: 'refused', reason });

/** An earlier checkpoint that the log must pass through, by size and root. */
export type Passed = { size: number; root: Buffer };

/** The terms for following entries. */
export interface FollowTerms {
  log: NoteVerifier;
  readDecision: ReadDecision;
  passed?: Passed | undefined;
}

/**
 * Checks the entries after a known state, in order: each changed tree only grew, no tree is missing, each new generation of a tree has a
 * recorded decision, and the note signs all of it. Never throws: unreadable input is refused. Trusts only the log's key.
 */
export function followEntries(seen: HeadsLog, page: ServedEntries, terms: FollowTerms): Followed {
  try {
    return follow(seen.copy(), page, terms);
  } catch {
    return refused('the entries cannot be read');
  }
}

function follow(next: HeadsLog, { first, entries, checkpoint }: ServedEntries, { log, readDecision, passed }: FollowTerms): Followed {
  if (first !== next.size) return refused(`the entries begin at ${first}, not at ${next.size}`);
  if (entries.length === 0) return refused(`there are no entries after checkpoint ${first}`);
  const openings: Opening[] = [];
  for (const { number, time_ms, moved, decisions = [], cut } of entries) {
    const opened = next.append({
      number,
      time_ms,
      moves: moved.map(readMove),
      decisions: readDecisions(decisions, readDecision),
      cut: cut === undefined ? undefined : readCut(cut),
    });
    if (typeof opened === 'string') return refused(opened);
    openings.push(...opened);
    if (next.size === passed?.size && !next.root().equals(passed.root))
      return refused(`checkpoint ${next.size} differs from the one that was seen before`);
  }
  const signed = signedAs(next, checkpoint, log);
  return signed.kind === 'refused' ? signed : { ...signed, openings };
}

function signedAs(next: HeadsLog, note: string, log: NoteVerifier): Opened {
  const signed = openCheckpoint(String(note), log);
  if (!signed) return refused(`the checkpoint after entry ${next.size - 1} is not signed by ${log.name}`);
  if (signed.size !== next.size) return refused(`the checkpoint has size ${signed.size}, its entries end at ${next.size}`);
  if (!signed.root.equals(next.root())) return refused(`the entries up to ${next.size - 1} differ from what checkpoint ${next.size} signs`);
  return { kind: 'followed', log: next, note };
}

/**
 * Opens the log at a checkpoint from the heads that its last entry covers. The result shows what was signed, not that earlier heads led
 * there.
 */
export function openHeads(covered: CoveredHeads, log: NoteVerifier): Opened {
  try {
    const { entry, heads, checkpoint } = covered;
    const path = readPath(entry.path);
    const { number, time_ms, cut } = entry;
    const at = HeadsLog.at({ number, time_ms, path, ...(cut === undefined ? {} : { cut: readCut(cut) }) }, heads.map(readHead));
    return at ? signedAs(at, checkpoint, log) : refused('the heads are not those of one entry');
  } catch {
    return refused('the heads cannot be read');
  }
}

/** The state of a follower of a log; `openHeads` restores it. @throws RangeError before the first entry */
export function coveredHeads(log: HeadsLog, note: string): CoveredHeads {
  const { lastEntry } = log;
  if (!lastEntry) throw new RangeError('a log without entries covers nothing');
  const { number, time_ms, path, cut } = lastEntry;
  const entry = { number, time_ms, path: path.map((hash) => hash.toString('base64')), ...(cut ? { cut } : {}) };
  return { entry, heads: log.all.map(wireHead), checkpoint: note };
}
