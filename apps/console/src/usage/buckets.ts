import { dayAfter, daysOf, longDay, type Period } from './period.js';
import type { UsageLine } from './usage-line.js';

const WEEK_DAYS = 7;
/** Beyond these days a bar is a week. */
const DAYS_AS_BARS_MAX = 92;

/** A day or a week: its name and the days that it has in the period. */
export interface Bucket {
  name: string;
  at_s: number;
  days: readonly string[];
}

export const stepDays = ({ days }: Pick<Period, 'days'>): number => (days > DAYS_AS_BARS_MAX ? WEEK_DAYS : 1);

/** The days of a period, or its weeks from Monday on. */
export function bucketsOf(period: Period): Bucket[] {
  const days = daysOf(period);
  if (stepDays(period) === 1) return days.map((day) => ({ name: longDay(day), at_s: secondsOf(day), days: [day] }));
  const weeks = new Map<string, string[]>();
  for (const day of days) {
    const monday = mondayOf(day);
    weeks.set(monday, [...(weeks.get(monday) ?? []), day]);
  }
  return [...weeks].map(([monday, of_week]) => ({ name: `week of ${longDay(monday)}`, at_s: secondsOf(monday), days: of_week }));
}

/** One value for each bucket: the sum of a number of its days. */
export function sumsIn(buckets: readonly Bucket[], lines: readonly UsageLine[], amountOf: (line: UsageLine) => number): number[] {
  const by_day = linesByDay(lines);
  return buckets.map(({ days }) =>
    days.reduce((sum, day) => {
      const line = by_day.get(day);
      return line ? sum + amountOf(line) : sum;
    }, 0),
  );
}

/** One value for each bucket: the mean of its days, each counted by its runs; null without a run. */
export function meansIn(
  buckets: readonly Bucket[],
  lines: readonly UsageLine[],
  amountOf: (line: UsageLine) => number | null,
): (number | null)[] {
  const by_day = linesByDay(lines);
  return buckets.map(({ days }) => {
    let runs = 0;
    let sum = 0;
    for (const day of days) {
      const line = by_day.get(day);
      const value = line ? amountOf(line) : null;
      if (!line || value === null) continue;
      const weight = Math.max(1, line.executed);
      runs += weight;
      sum += value * weight;
    }
    return runs === 0 ? null : sum / runs;
  });
}

/** What is left of sums when parts are taken away: the others. Never below zero, as parts are read later than the sum. */
export const restOf = (sums: readonly number[], parts: readonly (readonly number[])[]): number[] =>
  sums.map((sum, at) =>
    Math.max(
      0,
      parts.reduce((rest, part) => rest - (part[at] ?? 0), sum),
    ),
  );

const linesByDay = (lines: readonly UsageLine[]): Map<string, UsageLine> => new Map(lines.map((line) => [line.day ?? '', line]));
const secondsOf = (day: string): number => Date.parse(day) / 1000;
const mondayOf = (day: string): string => dayAfter(day, -((new Date(day).getUTCDay() + 6) % WEEK_DAYS));
