const DAY_MS = 86_400_000;

/** Environment for a process of ours whose wall clock stands so many days beside today's: a record gets old in no time. */
export function daysFromNow(days: number): Record<string, string> {
  const source = `const Real = Date, by = ${days * DAY_MS};
globalThis.Date = class Date extends Real {
  constructor(...given) { if (given.length > 0) super(...given); else super(Real.now() + by); }
  static now() { return Real.now() + by; }
};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}
