import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { lagOf, lagText } from './lag.js';
import { ListPanel } from './list-panel.js';
import { OPERATORS, type Projection, type useProjections } from './lists.js';

const READ_AGAIN_MS = 15_000;

const COLUMNS: readonly Column<Projection>[] = [
  { id: 'name', title: 'Projection', cell: ({ name }) => name },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '120px' },
  {
    id: 'version',
    title: 'Version',
    cell: ({ live, building }) => `${live?.version ?? 'none'}${building ? `, next ${building.version}` : ''}`,
    width: '120px',
  },
  { id: 'progress', title: 'Build', cell: ({ building }) => building && <Progress building={building} />, width: 'minmax(0, 1.4fr)' },
];

function Progress({ building }: { building: NonNullable<Projection['building']> }) {
  const { records, records_total, started_at } = building;
  return (
    <span class="row">
      <progress value={records} max={Math.max(records_total, 1)} aria-label="Records folded" />
      {records.toLocaleString('en')} of {records_total.toLocaleString('en')}
      {started_at && <RelativeTime at={started_at} />}
    </span>
  );
}

export function ProjectionsPanel({ list }: { list: ReturnType<typeof useProjections> }) {
  return (
    <ListPanel
      id="projections"
      title="Projections"
      about="What lists and pages are read from. It is rebuilt from the log."
      roles={OPERATORS}
      list={list}
      empty="There are no projections"
    >
      {(items) => (
        <>
          <Lag />
          <All items={items} list={list} />
        </>
      )}
    </ListPanel>
  );
}

/** All of them, folded while each is live: then there is nothing to see. */
function All({ items, list }: { items: readonly Projection[]; list: ReturnType<typeof useProjections> }) {
  const building = items.filter(({ status }) => status === 'building').length;
  return (
    <details class="health-folded" open={building > 0}>
      <summary>{building > 0 ? `${building} of ${items.length} are built for the first time` : `All ${items.length} are live`}</summary>
      <Table label="Projections" columns={COLUMNS} items={items} keyOf={({ name }) => name} more={list} />
    </details>
  );
}

/** Metrics cover all tenants: the gateway shows them on its own machine and to auditors. */
function Lag() {
  const metrics = useQuery({
    kind: 'other',
    key: ['metrics'],
    every_ms: READ_AGAIN_MS,
    read: (api, signal) => api.GET('/metrics', { parseAs: 'text', signal }),
  });
  if (metrics.is_loading) return null;
  if (metrics.data === undefined)
    return <p class="health-note">The lag is not shown here: the gateway shows metrics on its own machine and to auditors.</p>;
  const lag = lagOf(metrics.data);
  return <p class="health-note">{lag ? lagText(lag) : 'The projector is another process: its own metrics contain the lag.'}</p>;
}
