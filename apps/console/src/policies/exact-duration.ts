/** Units of a length of time, the longest first. */
export const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

export type Unit = (typeof UNITS)[number][0];

/** A length of time as a whole number of its largest unit: nothing is rounded. `90 min`, never `1 h`. */
export function inUnits(ms: number): { count: number; unit: Unit } {
  const [unit, unit_ms] = UNITS.find(([, size_ms]) => ms >= size_ms && ms % size_ms === 0) ?? (['ms', 1] as const);
  return { count: ms / unit_ms, unit };
}

export function exactDuration(ms: number): string {
  const { count, unit } = inUnits(ms);
  return `${count} ${unit}`;
}

/** The milliseconds of a number with its unit; undefined for what is no number above 0. */
export function millisecondsOf(count: string, unit: string): number | undefined {
  const found = UNITS.find(([name]) => name === unit);
  const number = Number(count.trim());
  return found && count.trim() !== '' && number > 0 ? Math.round(number * found[1]) : undefined;
}
