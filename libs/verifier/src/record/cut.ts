/**
 * The place of a checkpoint entry in the order of the log. A `closed` cut covers every record that was on the log when the closed cut before
 * it was signed. An `open` entry does not, because a partition could not be read: it proves no order, and has the number of the closed cut
 * that follows it. So for an event and its cause: cut(cause) <= cut(event) + 1.
 */
export interface Cut {
  /** From 1 on. */
  number: number;
  state: 'closed' | 'open';
}

/** @throws RangeError if the input is not a cut */
export function readCut(value: unknown): Cut {
  const { number, state, ...more } = value as Cut;
  const isCut = Number.isSafeInteger(number) && number >= 1 && (state === 'closed' || state === 'open') && Object.keys(more).length === 0;
  if (!isCut) throw new RangeError('not a cut');
  return { number, state };
}

/** Why an entry with one cut may not follow an entry with another; undefined if it may. */
export function strangeCut(before: Cut | undefined, cut: Cut | undefined): string | undefined {
  if (!cut) return before && 'has no cut, and the entry before has one';
  const next = nextCut(before);
  return cut.number === next ? undefined : `has cut ${cut.number} in the place of cut ${next}`;
}

/** The number of the cut after an entry with this one. */
export function nextCut(before: Cut | undefined): number {
  return before ? before.number + (before.state === 'closed' ? 1 : 0) : 1;
}
