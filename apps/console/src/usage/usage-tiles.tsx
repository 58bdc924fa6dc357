import { changeText, countText, dollarText, rateText, timeText } from './amounts.js';
import { type Period, periodBefore } from './period.js';
import type { UsageFilter, UsageLine } from './usage-line.js';
import { useUsageTotal } from './use-usage.js';

interface Tile {
  title: string;
  value: string;
  note?: string | undefined;
}

function tilesOf(total: UsageLine, before: UsageLine | undefined, name: string): Tile[] {
  const change = (now: number | null, then: number | null | undefined) => {
    const text = changeText(now, then ?? null);
    if (text === undefined) return undefined;
    return text === 'as before' ? `as in ${name}` : `${text} against ${name}`;
  };
  const { calls, executed, success_rate, p50_ms, p99_ms, mean_ms, cost_usd, cost_per_call_usd, in_doubt, resolved, deduplicated } = total;
  return [
    { title: 'Calls answered', value: countText(calls), note: change(calls, before?.calls) },
    { title: 'Cost', value: dollarText(cost_usd), note: change(cost_usd, before?.cost_usd) },
    {
      title: 'Cost of a run',
      value: cost_per_call_usd === null ? '–' : dollarText(cost_per_call_usd),
      note: `${countText(executed)} ${executed === 1 ? 'run' : 'runs'} of a tool`,
    },
    {
      title: 'Succeeded',
      value: rateText(success_rate),
      note: before?.success_rate == null ? 'of those that ran' : `${rateText(before.success_rate)} in ${name}`,
    },
    p50_ms === null
      ? { title: 'Time of a run', value: timeText(mean_ms), note: 'mean' }
      : { title: 'Time of a run', value: timeText(p50_ms), note: `half of them; 99 of 100: ${timeText(p99_ms)}` },
    { title: 'In doubt', value: countText(in_doubt), note: resolved > 0 ? `${countText(resolved)} ended later` : 'outcome unknown' },
    {
      title: 'Answered without a run',
      value: countText(deduplicated + total.cached),
      note: `${countText(deduplicated)} by an earlier call, ${countText(total.cached)} from a cache`,
    },
    { title: 'Without permission', value: countText(total.violations), note: 'denied for a scope, a clearance or a purpose, or refused' },
  ];
}

/** The numbers of a period, compared with the days before. */
export function UsageTiles({ total, period, filter }: { total: UsageLine; period: Period; filter: UsageFilter }) {
  const former = periodBefore(period);
  const { data } = useUsageTotal(former, filter);
  return (
    <dl class="usage-tiles">
      {tilesOf(total, data, former.name).map(({ title, value, note }) => (
        <div key={title} class="usage-tile">
          <dt>{title}</dt>
          <dd class="usage-value">{value}</dd>
          <dd class="usage-note">{note ?? ' '}</dd>
        </div>
      ))}
    </dl>
  );
}
