import type { components } from '@countersign/client';
import { Select } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { pathTo } from '../navigation/match.js';
import { useQueryState } from '../navigation/navigation.js';

type ListedTicket = components['schemas']['ListedSagaTicket'];

export const TICKET_READERS = ['operator', 'auditor'];

const STATUSES = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['any', 'All'],
] as const;

const COLUMNS: readonly Column<ListedTicket>[] = [
  { id: 'what', title: 'What happened', cell: ({ what }) => <span title={what}>{what}</span>, width: 'minmax(0, 2fr)' },
  { id: 'saga', title: 'Saga', cell: ({ definition, saga_id }) => <InertText text={definition?.name ?? saga_id} /> },
  { id: 'step', title: 'Step', cell: ({ step_id }) => step_id !== null && <InertText text={step_id} mono />, is_wide_only: true },
  {
    id: 'status',
    title: 'Ticket',
    cell: ({ closed_at }) => <StatusBadge status={closed_at === null ? 'open' : 'closed'} />,
    width: '90px',
  },
  { id: 'at', title: 'Opened', cell: ({ opened_at }) => <RelativeTime at={opened_at} />, width: '110px', align: 'end' },
];

/** Tickets of all sagas: a row leads to its saga. */
export function TicketsList() {
  const [chosen, setStatus] = useQueryState('tickets', 'open');
  const status = chosen === 'closed' || chosen === 'any' ? chosen : 'open';
  const tickets = useInfinite<ListedTicket>({
    kind: 'ticket',
    key: ['all', status],
    also: ['saga'],
    keep: true,
    read: (api, cursor, signal) =>
      api.GET('/v1/saga-tickets', { params: { query: { status, limit: 50, ...(cursor === undefined ? {} : { cursor }) } }, signal }),
  });
  return (
    <div class="stack">
      <div class="saga-filters">
        <Select label="Tickets" value={status} onValue={setStatus} options={STATUSES} />
      </div>
      {tickets.is_loading && <Skeleton lines={4} />}
      {!tickets.items && tickets.problem && <ErrorState problem={tickets.problem} retry={tickets.refresh} />}
      {tickets.items?.length === 0 && <EmptyState icon="check" title={status === 'open' ? 'No saga needs a person' : 'No tickets'} />}
      {tickets.items && tickets.items.length > 0 && (
        <Table
          label="Tickets"
          columns={COLUMNS}
          items={tickets.items}
          keyOf={({ ticket_id }) => ticket_id}
          hrefOf={({ saga_id }) => pathTo('/sagas/:id', { id: saga_id })}
          more={tickets}
        />
      )}
    </div>
  );
}
