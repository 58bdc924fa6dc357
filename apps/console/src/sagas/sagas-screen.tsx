import { Select, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { SearchField } from '../elements/search-field.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { Tabs } from '../elements/tabs.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { pathTo } from '../navigation/match.js';
import { useQueryState } from '../navigation/navigation.js';
import { type Saga, sagaTitle } from './saga.js';
import { TICKET_READERS, TicketsList } from './tickets-list.js';
import './sagas.css';

const STATUSES = [
  ['', 'Any status'],
  ['pending,running,awaiting_approval,compensating', 'Not ended'],
  ['awaiting_approval', 'Waits for approval'],
  ['compensation_failed', 'Undo failed'],
  ['completed', 'Completed'],
  ['compensated', 'Undone'],
  ['aborted', 'Aborted'],
] as const;

const COLUMNS: readonly Column<Saga>[] = [
  { id: 'saga', title: 'Saga', cell: (saga) => <InertText text={sagaTitle(saga)} />, width: 'minmax(0, 1.4fr)' },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status, paused }) => (
      <>
        <StatusBadge status={status} /> {paused && <Tag tone="warn">paused</Tag>}
      </>
    ),
    width: '200px',
  },
  {
    id: 'failed',
    title: 'Failed at',
    cell: ({ failed_step_id }) => failed_step_id !== null && <InertText text={failed_step_id} mono />,
    is_wide_only: true,
  },
  { id: 'by', title: 'Started by', cell: ({ started_by }) => started_by && <InertText text={started_by.id} />, is_wide_only: true },
  {
    id: 'at',
    title: 'Started',
    cell: ({ started_at }) => started_at !== null && <RelativeTime at={started_at} />,
    width: '110px',
    align: 'end',
  },
];

/** `/sagas`: all sagas, and the tickets that need a person. */
export default function SagasScreen() {
  const [tab, setTab] = useQueryState('tab', 'all');
  const may_see_tickets = hasRole(useSession(), TICKET_READERS);
  const tabs = [{ id: 'all', label: 'All sagas' }, ...(may_see_tickets ? [{ id: 'tickets', label: 'Tickets' }] : [])];
  return (
    <Screen title="Sagas" about="Steps that take effect together, or are undone">
      <Tabs label="Sagas" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === 'tickets' && may_see_tickets ? <TicketsList /> : <AllSagas />}
      </Tabs>
    </Screen>
  );
}

function AllSagas() {
  const [status, setStatus] = useQueryState('status');
  const [definition, setDefinition] = useQueryState('definition');
  const [case_id, setCase] = useQueryState('case');
  const filters = Object.fromEntries(Object.entries({ status, definition: definition.slice(0, 64), case_id }).filter(([, value]) => value));
  const sagas = useInfinite<Saga>({
    kind: 'saga',
    key: ['all', filters],
    keep: true,
    read: (api, cursor, signal) =>
      api.GET('/v1/sagas', { params: { query: { limit: 50, ...filters, ...(cursor === undefined ? {} : { cursor }) } }, signal }),
  });
  return (
    <div class="stack">
      <div class="saga-filters">
        <SearchField label="Name of the definition" value={definition} onValue={setDefinition} />
        <Select label="Status" value={status} onValue={setStatus} options={STATUSES} />
        <TextField label="Case" value={case_id} onValue={setCase} placeholder="Id of a case" characters_max={200} />
      </div>
      <SagasList sagas={sagas} is_filtered={Object.keys(filters).length > 0} />
    </div>
  );
}

function SagasList({ sagas, is_filtered }: { sagas: ReturnType<typeof useInfinite<Saga>>; is_filtered: boolean }) {
  if (sagas.is_loading) return <Skeleton lines={6} />;
  if (!sagas.items) return sagas.problem ? <ErrorState problem={sagas.problem} retry={sagas.refresh} /> : null;
  if (sagas.items.length === 0)
    return (
      <EmptyState icon="sagas" title={is_filtered ? 'No saga is like this' : 'No sagas yet'}>
        {is_filtered ? (
          'The name must be the whole name of a definition. Change the filters to see others.'
        ) : (
          <>
            A saga runs several calls as one: if a step fails, the others are undone. <a href="/docs/how-to/sagas">Start one</a>
          </>
        )}
      </EmptyState>
    );
  return (
    <Table
      label="Sagas"
      columns={COLUMNS}
      items={sagas.items}
      keyOf={({ saga_id }) => saga_id}
      hrefOf={({ saga_id }) => pathTo('/sagas/:id', { id: saga_id })}
      more={{ has_more: sagas.has_more, is_loading_more: sagas.is_loading_more, more: sagas.more }}
    />
  );
}
