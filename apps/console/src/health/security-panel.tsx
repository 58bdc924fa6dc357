import { InertText } from '../elements/inert.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { ListPanel } from './list-panel.js';
import { OVERSIGHT, type SecurityEvent, type useSecurityEvents } from './lists.js';

const COLUMNS: readonly Column<SecurityEvent>[] = [
  {
    id: 'kind',
    title: 'Kind',
    cell: ({ kind, times }) => <InertText text={`${kind.replaceAll('_', ' ')}${times > 1 ? ` ×${times}` : ''}`} />,
  },
  { id: 'detail', title: 'Detail', cell: ({ detail }) => <InertText text={detail} />, width: 'minmax(0, 2fr)' },
  {
    id: 'who',
    title: 'Who',
    cell: ({ principal }) => (principal ? <InertText text={`${principal.kind} ${principal.id}`} /> : <span class="faint">unknown</span>),
    is_wide_only: true,
  },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} />, width: '100px', align: 'end' },
];

export function SecurityPanel({ list }: { list: ReturnType<typeof useSecurityEvents> }) {
  return (
    <ListPanel
      id="security"
      title="Security events"
      about="Who signed in, and what the platform refused."
      roles={OVERSIGHT}
      list={list}
      empty="No security events"
    >
      {(items) => <Table label="Security events" columns={COLUMNS} items={items} keyOf={({ event_id }) => event_id} more={list} />}
    </ListPanel>
  );
}
