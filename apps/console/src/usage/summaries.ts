import type { PlotSpec } from '../charts/plot-spec.js';
import { countText, dollarText, rateText, timeText } from './amounts.js';
import type { Period } from './period.js';
import type { UsageLine } from './usage-line.js';

/** The time with the most, and how much that is; undefined if there is nothing. */
export function highest(spec: PlotSpec, names: readonly string[]): { name: string; value: number } | undefined {
  const sums = names.map((_, at) => spec.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const value = Math.max(0, ...sums);
  return value > 0 ? { name: names[sums.indexOf(value)] as string, value } : undefined;
}

export function callsSummary(total: UsageLine, period: Period, most: ReturnType<typeof highest>): string {
  if (total.calls === 0) return `No call was answered in ${inWords(period)}.`;
  const rate = total.success_rate === null ? '' : ` ${rateText(total.success_rate)} of those that ran succeeded.`;
  return `${countText(total.calls)} ${total.calls === 1 ? 'call' : 'calls'} answered in ${inWords(period)}${mostOf(most, countText)}.${rate}`;
}

export function costSummary(total: UsageLine, period: Period, most: ReturnType<typeof highest>): string {
  if (total.cost_usd === 0) return `Nothing was spent in ${inWords(period)}.`;
  const each = total.cost_per_call_usd === null ? '' : ` ${dollarText(total.cost_per_call_usd)} a run.`;
  return `${dollarText(total.cost_usd)} spent in ${inWords(period)}${mostOf(most, dollarText)}.${each}`;
}

export function timeSummary({ p50_ms, p99_ms, mean_ms }: UsageLine, period: Period): string {
  if (mean_ms === null) return `No tool ran in ${inWords(period)}.`;
  if (p50_ms === null || p99_ms === null) return `A run took ${timeText(mean_ms)} on average in ${inWords(period)}.`;
  return `Half of the runs took at most ${timeText(p50_ms)}, 99 of 100 at most ${timeText(p99_ms)}.`;
}

const inWords = ({ name }: Period): string => (name.startsWith('last') ? `the ${name}` : name);
const mostOf = (most: ReturnType<typeof highest>, text: (value: number) => string): string =>
  most
    ? `, most in ${most.name} (${text(most.value)})`.replace('most in week', 'most in the week').replace(/most in (\d)/, 'most on $1')
    : '';
