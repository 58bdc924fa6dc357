const MINUTE_MS = 60_000;
const DAY_MIN = 1_440;

/** Environment for a process of the platform whose wall clock is shifted by this many days: a record becomes old at once. */
export function daysFromNow(days: number): Record<string, string> {
  return minutesFromNow(days * DAY_MIN);
}

/** The same for minutes. */
export function minutesFromNow(minutes: number): Record<string, string> {
  const source = `const Real = Date, by = ${minutes * MINUTE_MS};
globalThis.Date = class Date extends Real {
  constructor(...given) { if (given.length > 0) super(...given); else super(Real.now() + by); }
  static now() { return Real.now() + by; }
};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}
