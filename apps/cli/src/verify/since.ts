import { type Bundle, readDecision, verifyBundle } from '@countersign/evidence';
import {
  type CoveredHeads,
  followEntries,
  type NoteVerifier,
  type Opening,
  openCheckpoint,
  openHeads,
  type Passed,
  type ServedEntries,
} from '@countersign/proofs';

/** All entries between two checkpoints, as they are kept in a file. */
export interface History {
  format: 'countersign-history/v1';
  /** What the earlier checkpoint covers. */
  heads: CoveredHeads;
  pages: ServedEntries[];
}

/** Where a history comes from: the log itself, or a file. */
export interface HistorySource {
  heads(size: number): Promise<CoveredHeads>;
  entries(first: number, second: number): Promise<ServedEntries>;
}

export type SinceVerdict =
  | { kind: 'same' }
  /**
   * `openings`: trees that were frozen between the two and go on as another generation; `replaced`: places of which the earlier bundle
   * proves other bytes, under a tree that is frozen now.
   */
  | {
      kind: 'continued';
      from: number;
      entries: number;
      moves: number;
      openings: readonly Opening[];
      replaced: readonly string[];
      history: History;
    }
  | { kind: 'not_checked'; from: number; to: number }
  | { kind: 'refused'; reason: string };

const refused = (reason: string): SinceVerdict => ({ kind: 'refused', reason });

/** What was seen earlier: a checkpoint, and the records where it was a bundle. */
export interface Earlier {
  checkpoint: Passed;
  records: Bundle['records'];
}

/** A bundle, a note, or the state of a witness, as it was kept; the reason where it is nothing that this log signed. */
export function readEarlier(text: string, log: NoteVerifier): Earlier | string {
  const kept = text.trimStart().startsWith('{') ? (JSON.parse(text) as Partial<Bundle>) : { checkpoint: text };
  const checkpoint = openCheckpoint(String(kept.checkpoint), log);
  if (!checkpoint) return `the earlier file has no checkpoint signed by ${log.name}`;
  if (kept.format === undefined) return { checkpoint, records: [] };
  const verdict = verifyBundle(kept as Bundle, { log, witnesses: [] });
  return verdict.kind === 'refused'
    ? `the earlier bundle is refused: ${verdict.reason}`
    : { checkpoint, records: (kept as Bundle).records };
}

type Placed = Bundle['records'][number];
const placeOf = ({ topic, partition, offset }: Placed) => `${topic}/${partition}/${offset}`;
const numberOf = ({ proof }: Placed) => proof?.tree.generation?.number ?? 1;
const bytesOf = ({ timestamp_ms, key, headers, value }: Placed) =>
  JSON.stringify([timestamp_ms, key, Object.entries(headers).sort(), value]);

/** Records of which two bundles say different bytes at one place, each with what the earlier one has there. */
function differing(earlier: Earlier, { records }: Bundle): { now: Placed; before: Placed }[] {
  const known = new Map(earlier.records.map((record) => [placeOf(record), record]));
  return records.flatMap((now) => {
    const before = known.get(placeOf(now));
    return before && bytesOf(before) !== bytesOf(now) ? [{ now, before }] : [];
  });
}

/** The first record of which two bundles say different bytes at one place of one tree. */
export function rewritten(earlier: Earlier, bundle: Bundle): string | undefined {
  const found = differing(earlier, bundle).find(({ now, before }) => numberOf(now) === numberOf(before));
  return found && placeOf(found.now);
}

/** Places that a later generation of a tree has other bytes at. That it was opened rightly is for `checkSince` to say. */
export function replaced(earlier: Earlier, bundle: Bundle): string[] {
  return differing(earlier, bundle)
    .filter(({ now, before }) => numberOf(now) !== numberOf(before))
    .map(({ now }) => placeOf(now));
}

/**
 * Whether every entry between two checkpoints of a log leaves each tree that moved as a continuation of what it was, or opens another
 * generation of it by a decision on the record.
 * Without a source nothing between them is looked at, and the verdict says so.
 */
export async function checkSince(
  earlier: Passed,
  later: Passed,
  log: NoteVerifier,
  source: HistorySource | undefined,
): Promise<SinceVerdict> {
  if (earlier.size === later.size) {
    return earlier.root.equals(later.root)
      ? { kind: 'same' }
      : refused(`the log forked: two checkpoints of size ${later.size} have different roots`);
  }
  if (!source) return { kind: 'not_checked', from: earlier.size, to: later.size };
  const heads = await source.heads(earlier.size);
  const opened = openHeads(heads, log);
  if (opened.kind === 'refused') return refused(opened.reason);
  let at = opened.log;
  if (at.size !== earlier.size || !at.root().equals(earlier.root))
    return refused(`checkpoint ${earlier.size} of the log differs from the one in the earlier file`);
  const history: History = { format: 'countersign-history/v1', heads, pages: [] };
  let moves = 0;
  const openings: Opening[] = [];
  while (at.size < later.size) {
    const page = await source.entries(at.size, later.size);
    const followed = followEntries(at, page, { log, readDecision, passed: later });
    if (followed.kind === 'refused') return refused(followed.reason);
    at = followed.log;
    openings.push(...followed.openings);
    moves += page.entries.reduce((sum, { moved }) => sum + moved.length, 0);
    history.pages.push(page);
  }
  if (at.size !== later.size) return refused(`the entries continue past checkpoint ${later.size}`);
  return { kind: 'continued', from: earlier.size, entries: later.size - earlier.size, moves, openings, replaced: [], history };
}

/** A history that was kept in a file. */
export function keptHistory(text: string): HistorySource | string {
  const { format, heads, pages } = JSON.parse(text) as History;
  if (format !== 'countersign-history/v1') return `the format is ${String(format).slice(0, 80)}, not countersign-history/v1`;
  return {
    heads: async () => heads,
    entries: async (first) => pages.find((page) => page.first === first) ?? { first, entries: [], checkpoint: '' },
  };
}
