import { type Bundle, verifyBundle } from '@countersign/evidence';
import {
  type CoveredHeads,
  followEntries,
  type NoteVerifier,
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
  | { kind: 'continued'; from: number; entries: number; moves: number; history: History }
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
  if (!checkpoint) return `what was seen earlier has no checkpoint that ${log.name} signed`;
  if (kept.format === undefined) return { checkpoint, records: [] };
  const verdict = verifyBundle(kept as Bundle, { log, witnesses: [] });
  return verdict.kind === 'refused'
    ? `the earlier bundle is refused: ${verdict.reason}`
    : { checkpoint, records: (kept as Bundle).records };
}

/** The first record of which two bundles say different bytes at one place. */
export function rewritten(earlier: Earlier, { records }: Bundle): string | undefined {
  const place = ({ topic, partition, offset }: Bundle['records'][number]) => `${topic}/${partition}/${offset}`;
  const bytes = ({ timestamp_ms, key, headers, value }: Bundle['records'][number]) =>
    JSON.stringify([timestamp_ms, key, Object.entries(headers).sort(), value]);
  const known = new Map(earlier.records.map((record) => [place(record), bytes(record)]));
  const found = records.find((record) => (known.get(place(record)) ?? bytes(record)) !== bytes(record));
  return found && place(found);
}

/**
 * Whether every entry between two checkpoints of a log leaves each tree that moved as a continuation of what it was.
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
    return refused(`checkpoint ${earlier.size} of the log is not the one that was seen earlier`);
  const history: History = { format: 'countersign-history/v1', heads, pages: [] };
  let moves = 0;
  while (at.size < later.size) {
    const page = await source.entries(at.size, later.size);
    const followed = followEntries(at, page, log, later);
    if (followed.kind === 'refused') return refused(followed.reason);
    at = followed.log;
    moves += page.entries.reduce((sum, { moved }) => sum + moved.length, 0);
    history.pages.push(page);
  }
  if (at.size !== later.size) return refused(`the entries lead past checkpoint ${later.size}`);
  return { kind: 'continued', from: earlier.size, entries: later.size - earlier.size, moves, history };
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
