import { useMemo } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { ProblemNote } from '../elements/states.js';
import { countText, dollarText, timeText } from './amounts.js';
import { bucketsOf, stepDays } from './buckets.js';
import { callsSpec, costSpec, NAMES_MAX, type NamedLines, timeSpec } from './chart-specs.js';
import type { Period } from './period.js';
import { callsSummary, costSummary, highest, timeSummary } from './summaries.js';
import type { NameGroup, UsageFilter, UsageLines } from './usage-line.js';
import { useUsage, useUsageOfNames } from './use-usage.js';

interface UsageChartsProps {
  /** The report by day. */
  report: UsageLines;
  period: Period;
  filter: UsageFilter;
  /** What the parts of the charts are. */
  split: 'status' | NameGroup;
}

/** Calls, cost and time of a period. */
export function UsageCharts({ report, period, filter, split }: UsageChartsProps) {
  const { named, problem } = useNamed(split, period, filter);
  const buckets = useMemo(() => bucketsOf(period), [period]);
  const step = stepDays(period);
  const names = useMemo(() => buckets.map(({ name }) => name), [buckets]);
  const specs = useMemo(
    () => ({
      calls: callsSpec(buckets, step, report.items, named),
      cost: costSpec(buckets, step, report.items, named),
      time: timeSpec(buckets, step, report.items, named),
    }),
    [buckets, step, report, named],
  );
  const { total } = report;
  const of = { time_names: names };
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <Chart
        {...of}
        title="Calls"
        spec={specs.calls}
        summary={callsSummary(total, period, highest(specs.calls, names))}
        valueText={countText}
        has_sum
      />
      <div class="usage-pair">
        <Chart
          {...of}
          title="Cost"
          spec={specs.cost}
          summary={costSummary(total, period, highest(specs.cost, names))}
          valueText={dollarText}
          has_sum={specs.cost.series.length > 1}
        />
        <Chart {...of} title="Time of runs" spec={specs.time} summary={timeSummary(total, period)} valueText={timeText} has_sum={false} />
      </div>
    </>
  );
}

/** The tools or agents with most calls, by day. */
function useNamed(split: UsageChartsProps['split'], period: Period, filter: UsageFilter) {
  const group = split === 'status' ? 'tool' : split;
  const { data } = useUsage(group, period, filter);
  const all = split === 'status' ? [] : [...(data?.items ?? [])].sort((a, b) => b.calls - a.calls);
  const names = all.slice(0, NAMES_MAX).map((line) => line[group] ?? '');
  const { data: days, problem } = useUsageOfNames(group, names, period, filter);
  const named = useMemo<NamedLines[] | undefined>(
    () =>
      days && names.length > 0 && days.length === names.length
        ? names.map((name, at) => ({ name, lines: days[at]?.items ?? [] }))
        : undefined,
    [days, names.join('\n')],
  );
  return { named, problem: days ? undefined : problem };
}
