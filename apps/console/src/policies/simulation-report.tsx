import { useMemo } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { EmptyState } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { pathTo } from '../navigation/match.js';
import { useQueryState } from '../navigation/navigation.js';
import { effectWords } from './rule-words.js';
import { type CallDifference, type DifferenceGroup, differenceGroups, differenceWord, groupKey } from './simulation-groups.js';
import type { Simulation } from './simulation-panel.js';
import './simulation.css';

/** What a simulation found: counts, the rules that make the difference, and the calls. */
export function SimulationReport({ report, calls_max }: { report: Simulation; calls_max: number }) {
  const { differences, truncated } = report;
  const groups = useMemo(() => differenceGroups(differences), [differences]);
  const [chosen, setChosen] = useQueryState('by');
  const is_known = groups.some(({ key }) => key === chosen);
  const shown = is_known ? differences.filter((difference) => groupKey(difference) === chosen) : differences;
  return (
    <div class="stack">
      <Counts report={report} calls_max={calls_max} />
      {differences.length === 0 ? (
        <EmptyState icon="check" title="No call would be decided differently" />
      ) : (
        <>
          <Groups groups={groups} chosen={is_known ? chosen : ''} onChoose={setChosen} />
          {truncated && <p class="soft">More calls differ than the {differences.length} that are listed; the counts above are complete.</p>}
          <Table
            label="Calls that would be decided differently"
            columns={COLUMNS}
            items={shown}
            keyOf={({ call_id }) => call_id}
            hrefOf={({ call_id }) => pathTo('/calls/:id', { id: call_id })}
          />
        </>
      )}
    </div>
  );
}

function Counts({ report: { calls, unchanged, left_out, erased, counts }, calls_max }: { report: Simulation; calls_max: number }) {
  const changes = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <div class="policies-counts" role="status">
      <p>
        <strong>{calls - unchanged}</strong> of {calls} calls would be decided differently
        {changes.length > 0 && `: ${changes.map(([kind, count]) => `${count} ${differenceWord(kind)}`).join(', ')}`}.
      </p>
      {left_out > 0 && (
        <p class="soft">
          {left_out} left out: no decision of their own, or their tool is gone{erased > 0 && `; the data of ${erased} was erased`}.
        </p>
      )}
      {calls + left_out >= calls_max && <p class="soft">These are the newest {calls_max.toLocaleString('en')} calls of the period.</p>}
    </div>
  );
}

interface GroupsProps {
  groups: readonly DifferenceGroup[];
  chosen: string;
  onChoose: (key: string) => void;
}

const GROUPS_SHOWN = 30;

/** The changes by rule; pressing one shows its calls only. */
function Groups({ groups, chosen, onChoose }: GroupsProps) {
  return (
    <ul class="policies-groups" aria-label="Changes by rule">
      {groups.slice(0, GROUPS_SHOWN).map(({ key, before, after, count }) => (
        <li key={key}>
          <button type="button" class="policies-group" aria-pressed={key === chosen} onClick={() => onChoose(key === chosen ? '' : key)}>
            <span class="policies-group-count">{count}</span>
            <Decision {...before} />
            <span aria-hidden="true">→</span>
            <span class="visually-hidden">becomes</span>
            <Decision {...after} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Decision({ effect, rule }: { effect: string; rule: string }) {
  const { word, tone } = effectWords(effect);
  return (
    <span class="policies-decision">
      <StatusBadge status={effect} word={word} tone={tone} />
      <span class="policies-decision-rule">
        <InertText text={rule} characters_max={80} />
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<CallDifference>[] = [
  { id: 'tool', title: 'Call', cell: ({ tool, call_id }) => <InertText text={`${tool} · ${call_id.slice(-8)}`} characters_max={120} /> },
  { id: 'before', title: 'Was decided', cell: ({ before }) => <Decision {...before} />, width: 'minmax(0, 1.2fr)' },
  { id: 'after', title: 'Would be', cell: ({ after }) => <Decision {...after} />, width: 'minmax(0, 1.2fr)' },
  {
    id: 'why',
    title: 'Because',
    cell: ({ after }) => <InertText text={after.why ?? ''} characters_max={160} />,
    width: 'minmax(0, 1.4fr)',
    is_wide_only: true,
  },
];
