/** A range of offsets, inclusive. */
export interface OffsetRange {
  first: number;
  last: number;
}

/** Appends a range; merges it with the last one if it continues that. */
export function addRange(ranges: OffsetRange[], range: OffsetRange): void {
  const last = ranges.at(-1);
  if (last && range.first <= last.last + 1) last.last = Math.max(last.last, range.last);
  else ranges.push(range);
}
