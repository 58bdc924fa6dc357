const DAY_MS = 86_400_000;
/** The API's bound of a report. */
const DAYS_MAX = 400;
const DAYS_DEFAULT = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** `[value in the address, label, days until today]` */
export const PRESETS = [
  ['7d', '7 days', 7],
  ['30d', '30 days', DAYS_DEFAULT],
  ['90d', '90 days', 90],
  ['12m', '12 months', 365],
] as const;

/** Whole days in UTC. */
export interface Period {
  /** The first day, `2026-11-01`. */
  first: string;
  /** The last day, inclusive. */
  last: string;
  days: number;
  /** `last 30 days`, `1 Oct 2026 to 31 Oct 2026` */
  name: string;
}

/** The days of a report as its address says them. A text: why they are not a period. */
export function periodOf({ period, from, to }: { period: string; from: string; to: string }, now_ms: number): Period | string {
  if (period === 'dates') return datesOf(from, to);
  const [, label, days] = PRESETS.find(([value]) => value === period) ?? PRESETS[1];
  const today = dayOf(now_ms);
  return { first: dayAfter(today, 1 - days), last: today, days, name: `last ${label}` };
}

function datesOf(first: string, last: string): Period | string {
  if (!isDay(first) || !isDay(last)) return 'Choose the first and the last day.';
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  if (days < 1) return 'The last day is before the first.';
  if (days > DAYS_MAX) return `A report has at most ${DAYS_MAX} days; these are ${days.toLocaleString('en')}.`;
  return { first, last, days, name: first === last ? longDay(first) : `${longDay(first)} to ${longDay(last)}` };
}

/** The as many days before, for a comparison. */
export const periodBefore = ({ first, days }: Period): Period => ({
  first: dayAfter(first, -days),
  last: dayAfter(first, -1),
  days,
  name: `the ${days} ${days === 1 ? 'day' : 'days'} before`,
});

/** As the API takes it: the end is exclusive. */
export const rangeOf = ({ first, last }: Period): { from: string; to: string } => ({
  from: `${first}T00:00:00.000Z`,
  to: `${dayAfter(last, 1)}T00:00:00.000Z`,
});

export const daysOf = ({ first, days }: Period): string[] => Array.from({ length: days }, (_, at) => dayAfter(first, at));

export const dayOf = (at_ms: number): string => new Date(at_ms).toISOString().slice(0, 10);
export const dayAfter = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** A day that exists: no 30 February. */
const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

const long = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
export const longDay = (day: string): string => long.format(Date.parse(day));
