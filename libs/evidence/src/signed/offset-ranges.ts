/** Offsets from the first to the last, both included. */
export interface OffsetRange {
  first: number;
  last: number;
}

/** Adds a range behind the others; one that continues the last is one with it. */
export function addRange(ranges: OffsetRange[], range: OffsetRange): void {
  const last = ranges.at(-1);
  if (last && range.first <= last.last + 1) last.last = Math.max(last.last, range.last);
  else ranges.push(range);
}
