import type { PlotSeries, PlotSpec } from '../charts/plot-spec.js';
import { shortCount, shortDollars, timeText } from './amounts.js';
import { type Bucket, meansIn, restOf, sumsIn } from './buckets.js';
import type { UsageLine } from './usage-line.js';

const DAY_S = 86_400;
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'] as const;
/** As many names as there are colours that can be told apart. */
export const NAMES_MAX = COLOURS.length;

/** The days of one tool or agent. */
export interface NamedLines {
  name: string;
  lines: readonly UsageLine[];
}

type Part = readonly [label: string, colour: string, amountOf: (line: UsageLine) => number];

/** How calls were answered. */
const ANSWERS: readonly Part[] = [
  ['Succeeded', '--good', ({ succeeded }) => succeeded],
  ['Failed', '--bad', ({ failed }) => failed],
  ['In doubt', '--chart-4', ({ in_doubt }) => in_doubt],
  ['Denied', '--warn', ({ denied }) => denied],
  ['Expired or cancelled', '--chart-rest', ({ expired, cancelled }) => expired + cancelled],
  ['Answered by an earlier call', '--chart-1', ({ deduplicated }) => deduplicated],
];

const barsOf = (buckets: readonly Bucket[], step_days: number, series: readonly PlotSeries[]) => ({
  kind: 'bars' as const,
  times_s: buckets.map(({ at_s }) => at_s),
  step_s: step_days * DAY_S,
  series,
});

/** Series with numbers; the first one if there are none, so that the legend is never empty. */
const shown = (series: readonly PlotSeries[]): readonly PlotSeries[] => {
  const filled = series.filter(({ values }) => values.some((value) => value !== null && value !== 0));
  return filled.length > 0 ? filled : series.slice(0, 1);
};

/** Calls by how they were answered, or by name. */
export function callsSpec(
  buckets: readonly Bucket[],
  step_days: number,
  lines: readonly UsageLine[],
  named?: readonly NamedLines[],
): PlotSpec {
  const series = named
    ? byName(buckets, lines, named, ({ calls }) => calls)
    : ANSWERS.map(([label, colour, amountOf]) => ({ label, colour, values: sumsIn(buckets, lines, amountOf) }));
  return { ...barsOf(buckets, step_days, shown(series)), axisText: shortCount, is_integer: true };
}

export function costSpec(
  buckets: readonly Bucket[],
  step_days: number,
  lines: readonly UsageLine[],
  named?: readonly NamedLines[],
): PlotSpec {
  const costOf = ({ cost_usd }: UsageLine) => cost_usd;
  const series = named
    ? byName(buckets, lines, named, costOf)
    : [{ label: 'Cost', colour: '--chart-1', values: sumsIn(buckets, lines, costOf) }];
  return { ...barsOf(buckets, step_days, shown(series)), axisText: shortDollars, is_integer: false };
}

/** Time of runs: its quantiles where the report has them, else its mean; or the mean by name. */
export function timeSpec(
  buckets: readonly Bucket[],
  step_days: number,
  lines: readonly UsageLine[],
  named?: readonly NamedLines[],
): PlotSpec {
  const meanOf = ({ mean_ms }: UsageLine) => mean_ms;
  const one = (label: string, colour: string, amountOf: (line: UsageLine) => number | null, of = lines): PlotSeries => ({
    ...{ label, colour, values: meansIn(buckets, of, amountOf) },
  });
  const has_quantiles = lines.some(({ p50_ms }) => p50_ms !== null);
  const series = named
    ? named.map(({ name, lines: own }, at) => one(name, COLOURS[at] as string, meanOf, own))
    : has_quantiles
      ? [
          one('Half of the runs (p50)', '--chart-1', ({ p50_ms }) => p50_ms),
          one('99 of 100 runs (p99)', '--chart-3', ({ p99_ms }) => p99_ms),
        ]
      : [one('Mean', '--chart-1', meanOf)];
  return { ...barsOf(buckets, step_days, shown(series)), kind: 'lines', axisText: timeText, is_integer: false };
}

function byName(
  buckets: readonly Bucket[],
  lines: readonly UsageLine[],
  named: readonly NamedLines[],
  amountOf: (line: UsageLine) => number,
): PlotSeries[] {
  const parts = named.map(({ name, lines: own }, at) => ({
    ...{ label: name, colour: COLOURS[at] as string, values: sumsIn(buckets, own, amountOf) },
  }));
  const rest = restOf(
    sumsIn(buckets, lines, amountOf),
    parts.map(({ values }) => values),
  );
  return [...parts, { label: 'All others', colour: '--chart-rest', values: rest.map(withoutNoise) }];
}

/** Sums of dollars as floating point numbers leave crumbs. */
const withoutNoise = (value: number): number => (Math.abs(value) < 1e-6 ? 0 : value);
