import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { withQuery } from '../navigation/match.js';
import { usePlace } from '../navigation/navigation.js';
import { countText, dollarText, rateText, timeText } from './amounts.js';
import type { Period } from './period.js';
import type { NameGroup, UsageFilter, UsageLine } from './usage-line.js';
import { useUsage } from './use-usage.js';

const SHOWN = 8;

const columnsOf = (group: NameGroup, most: number): readonly Column<UsageLine>[] => [
  { id: 'name', title: group === 'tool' ? 'Tool' : 'Agent', cell: (line) => <InertText text={line[group] ?? ''} characters_max={80} /> },
  {
    id: 'calls',
    title: 'Calls',
    cell: ({ calls }) => (
      <span class="usage-share">
        <meter min={0} max={most} value={calls} aria-hidden="true" />
        {countText(calls)}
      </span>
    ),
    width: '190px',
    align: 'end',
  },
  { id: 'rate', title: 'Succeeded', cell: ({ success_rate }) => rateText(success_rate), width: '96px', align: 'end', is_wide_only: true },
  { id: 'time', title: 'Mean time', cell: ({ mean_ms }) => timeText(mean_ms), width: '96px', align: 'end', is_wide_only: true },
  { id: 'cost', title: 'Cost', cell: ({ cost_usd }) => dollarText(cost_usd), width: '110px', align: 'end' },
];

/** The tools or agents of a period, those with most calls first. A row leads to the report of one. */
export function TopList({ group, period, filter }: { group: NameGroup; period: Period; filter: UsageFilter }) {
  const { path, query } = usePlace();
  const { data, problem, refresh } = useUsage(group, period, filter);
  const [is_whole, setWhole] = useState(false);
  const title = group === 'tool' ? 'Tools' : 'Agents';
  // a line without calls has only refused requests, and may have no name
  const lines = (data?.items ?? []).filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls || b.cost_usd - a.cost_usd);
  return (
    <section class="usage-list" aria-label={title}>
      <header class="row row-spread">
        <h2>{title}</h2>
        {lines.length > SHOWN && (
          <Button onClick={() => setWhole(!is_whole)}>{is_whole ? 'Show fewer' : `Show all ${countText(lines.length)}`}</Button>
        )}
      </header>
      {!data && (problem ? <ErrorState problem={problem} retry={refresh} /> : <Skeleton lines={4} />)}
      {data && lines.length === 0 && <EmptyState icon="usage" title={`No ${group} in this time`} />}
      {lines.length > 0 && (
        <Table
          label={title}
          columns={columnsOf(group, lines[0]?.calls ?? 0)}
          items={is_whole ? lines : lines.slice(0, SHOWN)}
          keyOf={(line) => line[group] ?? ''}
          hrefOf={(line) => path + withQuery(query, { [group]: line[group] ?? undefined, by: undefined })}
        />
      )}
      {data?.is_cut && <p class="soft">There are more than {countText(lines.length)}: these are the first by name.</p>}
    </section>
  );
}
