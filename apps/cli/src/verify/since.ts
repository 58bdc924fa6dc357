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

/** All entries between two checkpoints, as stored in a file. */
export interface History {
  format: 'countersign-history/v1';
  /** The heads that the earlier checkpoint covers. */
  heads: CoveredHeads;
  pages: ServedEntries[];
}

/** Source of a history: the log itself, or a file. */
export interface HistorySource {
  heads(size: number): Promise<CoveredHeads>;
  entries(first: number, second: number): Promise<ServedEntries>;
}

export type SinceVerdict =
  | { kind: 'same' }
  /**
   * `openings`: trees that were frozen between the two checkpoints and continue as a new generation; `replaced`: positions at which the
   * earlier bundle proves other bytes, in a tree that is frozen now.
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

/** The earlier evidence: a checkpoint, and the records if it was a bundle. */
export interface Earlier {
  checkpoint: Passed;
  records: Bundle['records'];
}

/** Parses a stored bundle, note, or witness state; returns the reason if this log did not sign it. */
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

/** Records for which two bundles have different bytes at one position, each with the earlier one. */
function differing(earlier: Earlier, { records }: Bundle): { now: Placed; before: Placed }[] {
  const known = new Map(earlier.records.map((record) => [placeOf(record), record]));
  return records.flatMap((now) => {
    const before = known.get(placeOf(now));
    return before && bytesOf(before) !== bytesOf(now) ? [{ now, before }] : [];
  });
}

/** The first record for which two bundles have different bytes at one position of one tree. */
export function rewritten(earlier: Earlier, bundle: Bundle): string | undefined {
  const found = differing(earlier, bundle).find(({ now, before }) => numberOf(now) === numberOf(before));
  return found && placeOf(found.now);
}

/** Positions at which a later generation of a tree has other bytes. `checkSince` verifies that the generation was opened correctly. */
export function replaced(earlier: Earlier, bundle: Bundle): string[] {
  return differing(earlier, bundle)
    .filter(({ now, before }) => numberOf(now) !== numberOf(before))
    .map(({ now }) => placeOf(now));
}

/**
 * Checks that every entry between two checkpoints of a log continues each changed tree, or opens a new generation of it by a recorded
 * decision. Without a source the entries between are not checked, and the verdict says so.
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

/** Parses a history from a file. */
export function keptHistory(text: string): HistorySource | string {
  const { format, heads, pages } = JSON.parse(text) as History;
  if (format !== 'countersign-history/v1') return `the format is ${String(format).slice(0, 80)}, not countersign-history/v1`;
  return {
    heads: async () => heads,
    entries: async (first) => pages.find((page) => page.first === first) ?? { first, entries: [], checkpoint: '' },
  };
}
