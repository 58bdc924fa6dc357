import { useMemo } from 'preact/hooks';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { Chip } from '../lists/chip.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useFilterChange } from '../lists/filter-bar.js';
import { useQueryState } from '../navigation/navigation.js';
import { BillingPanel } from './billing-panel.js';
import { type Period, periodOf } from './period.js';
import { PeriodBar } from './period-bar.js';
import { TopList } from './top-list.js';
import { UsageCharts } from './usage-charts.js';
import type { NameGroup, UsageFilter } from './usage-line.js';
import { UsageTiles } from './usage-tiles.js';
import { useUsage } from './use-usage.js';
import './usage.css';

const OVERSIGHT = ['operator', 'auditor'];
const SPLITS = [
  ['status', 'Status'],
  ['tool', 'Tool'],
  ['agent', 'Agent'],
] as const;
type Split = (typeof SPLITS)[number][0];

/** `/usage`: calls, cost and time of a period, and what is billed. */
export default function UsageScreen() {
  const [period_name] = useQueryState('period');
  const [from] = useQueryState('from');
  const [to] = useQueryState('to');
  const [tool] = useQueryState('tool');
  const [agent] = useQueryState('agent');
  const [by] = useQueryState('by');
  const is_overseer = hasRole(useSession(), OVERSIGHT);
  const chosen = { period: period_name, from, to };
  const day = new Date().toISOString().slice(0, 10);
  const period = useMemo(() => periodOf(chosen, Date.now()), [period_name, from, to, day]);
  const filter = useMemo<UsageFilter>(
    () => ({ ...(tool ? { tool: tool.slice(0, 200) } : {}), ...(agent ? { agent: agent.slice(0, 400) } : {}) }),
    [tool, agent],
  );
  const splits = SPLITS.filter(([split]) => split === 'status' || (filter[split] === undefined && (split === 'tool' || is_overseer)));
  const split = splits.find(([value]) => value === by)?.[0] ?? 'status';
  return (
    <Screen title="Usage" about={is_overseer ? 'Calls, cost and time of all agents' : 'Your own calls, their cost and time'}>
      <div class="usage-bars">
        <PeriodBar chosen={chosen} period={period} />
        <SplitBar splits={splits} split={split} />
      </div>
      <FilterChips filter={filter} />
      {typeof period === 'string' ? (
        <EmptyState icon="clock" title="No period is chosen">
          <p>{period}</p>
        </EmptyState>
      ) : (
        <Report period={period} filter={filter} split={split} is_overseer={is_overseer} />
      )}
      {is_overseer && <BillingPanel />}
    </Screen>
  );
}

function Report({ period, filter, split, is_overseer }: { period: Period; filter: UsageFilter; split: Split; is_overseer: boolean }) {
  const { data, problem, refresh } = useUsage('day', period, filter);
  if (!data) return problem ? <ErrorState problem={problem} retry={refresh} /> : <Skeleton lines={12} label="Reading the usage" />;
  if (data.total.calls === 0 && data.total.violations === 0)
    return (
      <EmptyState icon="usage" title="No call was answered in this time">
        <p>Choose a longer time{Object.keys(filter).length > 0 ? ', or remove the filter above' : ''}.</p>
      </EmptyState>
    );
  const lists = (['tool', 'agent'] as const).filter((group: NameGroup) => filter[group] === undefined && (group === 'tool' || is_overseer));
  return (
    <>
      <UsageTiles total={data.total} period={period} filter={filter} />
      <UsageCharts report={data} period={period} filter={filter} split={split} />
      {lists.map((group) => (
        <TopList key={group} group={group} period={period} filter={filter} />
      ))}
    </>
  );
}

function SplitBar({ splits, split }: { splits: readonly (readonly [Split, string])[]; split: Split }) {
  const change = useFilterChange();
  if (splits.length < 2) return null;
  return (
    <ChoiceBar label="Parts of the charts">
      {splits.map(([value, label]) => (
        <ChoiceButton key={value} is_pressed={value === split} onPress={() => change({ by: value === 'status' ? '' : value })}>
          {`By ${label.toLowerCase()}`}
        </ChoiceButton>
      ))}
    </ChoiceBar>
  );
}

function FilterChips({ filter: { tool, agent } }: { filter: UsageFilter }) {
  const change = useFilterChange();
  if (tool === undefined && agent === undefined) return null;
  return (
    <ul class="row chips" aria-label="Filters">
      {tool !== undefined && <Chip label="Tool" text={tool} onRemove={() => change({ tool: '' })} />}
      {agent !== undefined && <Chip label="Agent" text={agent} onRemove={() => change({ agent: '' })} />}
    </ul>
  );
}
