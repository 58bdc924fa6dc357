import { openCheckpoint } from '../note/checkpoint.js';
import type { NoteVerifier } from '../note/note-key.js';
import { HeadsLog } from './heads-log.js';
import { type CoveredHeads, readHead, readMove, readPath, type ServedEntries, wireHead } from './served-entries.js';

export type Followed = { kind: 'followed'; log: HeadsLog; note: string } | { kind: 'refused'; reason: string };

const refused = (reason: string): Followed => ({ kind: 'refused', reason });

/** A checkpoint that the log must pass through: its size and root were seen before. */
export type Passed = { size: number; root: Buffer };

/**
 * Checks entries that follow what was seen, in order: each tree that moved only grew, no tree is gone, and all of it is what
 * the note signs. Total: whatever cannot be read is refused. Trusts the log's key for who signed, and nothing else.
 */
export function followEntries(seen: HeadsLog, page: ServedEntries, log: NoteVerifier, passed?: Passed): Followed {
  try {
    return follow(seen.copy(), page, log, passed);
  } catch {
    return refused('the entries cannot be read');
  }
}

function follow(next: HeadsLog, { first, entries, checkpoint }: ServedEntries, log: NoteVerifier, passed: Passed | undefined): Followed {
  if (first !== next.size) return refused(`the entries begin at ${first}, not at ${next.size}`);
  if (entries.length === 0) return refused(`there are no entries after checkpoint ${first}`);
  for (const { number, time_ms, moved } of entries) {
    const fault = next.append(number, time_ms, moved.map(readMove));
    if (fault !== undefined) return refused(fault);
    if (next.size === passed?.size && !next.root().equals(passed.root))
      return refused(`checkpoint ${next.size} is not the one that was seen before`);
  }
  return signedAs(next, checkpoint, log);
}

function signedAs(next: HeadsLog, note: string, log: NoteVerifier): Followed {
  const signed = openCheckpoint(String(note), log);
  if (!signed) return refused(`the checkpoint after entry ${next.size - 1} is not signed by ${log.name}`);
  if (signed.size !== next.size) return refused(`the checkpoint has size ${signed.size}, its entries end at ${next.size}`);
  if (!signed.root.equals(next.root())) return refused(`the entries up to ${next.size - 1} are not what checkpoint ${next.size} signs`);
  return { kind: 'followed', log: next, note };
}

/**
 * The log as it stood at a checkpoint: the heads that its last entry covers. What is answered shows what was signed,
 * not that the heads before it led there.
 */
export function openHeads(covered: CoveredHeads, log: NoteVerifier): Followed {
  try {
    const { entry, heads, checkpoint } = covered;
    const path = readPath(entry.path);
    const at = HeadsLog.at({ number: entry.number, time_ms: entry.time_ms, path }, heads.map(readHead));
    return at ? signedAs(at, checkpoint, log) : refused('the heads are not those of one entry');
  } catch {
    return refused('the heads cannot be read');
  }
}

/** What `openHeads` opens again: the state of whoever follows a log. @throws RangeError before the first entry */
export function coveredHeads(log: HeadsLog, note: string): CoveredHeads {
  const { lastEntry } = log;
  if (!lastEntry) throw new RangeError('a log without entries covers nothing');
  const { number, time_ms, path } = lastEntry;
  return { entry: { number, time_ms, path: path.map((hash) => hash.toString('base64')) }, heads: log.all.map(wireHead), checkpoint: note };
}
