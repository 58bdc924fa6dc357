import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { pathTo } from '../navigation/match.js';
import { ListPanel } from './list-panel.js';
import { type CallItem, OVERSIGHT, type Ticket, type useCallsInDoubt, type useOpenTickets } from './lists.js';

const CALLS: readonly Column<CallItem>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <InertText text={tool ?? 'unknown tool'} /> },
  { id: 'call', title: 'Call', cell: ({ call_id }) => <span class="mono">{call_id}</span>, width: 'minmax(0, 1.6fr)', is_wide_only: true },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status ?? 'in_doubt'} />, width: '120px' },
  { id: 'since', title: 'Requested', cell: ({ t_start }) => t_start && <RelativeTime at={t_start} />, width: '120px', align: 'end' },
];

export function CallsInDoubt({ list }: { list: ReturnType<typeof useCallsInDoubt> }) {
  return (
    <ListPanel
      id="in-doubt"
      title="Calls in doubt"
      about="It is unknown whether they took effect. Ask the system of record, then resolve them."
      list={list}
      empty="No call is in doubt"
    >
      {(items) => (
        <Table
          label="Calls in doubt"
          columns={CALLS}
          items={items}
          keyOf={({ call_id }) => call_id ?? ''}
          hrefOf={({ call_id }) => pathTo('/calls/:id', { id: call_id ?? '' })}
          more={list}
        />
      )}
    </ListPanel>
  );
}

const TICKETS: readonly Column<Ticket>[] = [
  { id: 'what', title: 'What happened', cell: ({ what }) => <span title={what}>{what}</span>, width: 'minmax(0, 2fr)' },
  { id: 'saga', title: 'Saga', cell: ({ definition, saga_id }) => <InertText text={definition?.name ?? saga_id} /> },
  { id: 'step', title: 'Step', cell: ({ step_id }) => step_id && <InertText text={step_id} mono />, is_wide_only: true },
  { id: 'opened', title: 'Opened', cell: ({ opened_at }) => <RelativeTime at={opened_at} />, width: '120px', align: 'end' },
];

export function OpenTickets({ list }: { list: ReturnType<typeof useOpenTickets> }) {
  return (
    <ListPanel
      id="tickets"
      title="Tickets of sagas"
      about="These sagas wait until a person has decided."
      roles={OVERSIGHT}
      list={list}
      empty="No saga needs a person"
    >
      {(items) => (
        <Table
          label="Tickets of sagas"
          columns={TICKETS}
          items={items}
          keyOf={({ ticket_id }) => ticket_id}
          hrefOf={({ saga_id }) => pathTo('/sagas/:id', { id: saga_id })}
          more={list}
        />
      )}
    </ListPanel>
  );
}
