import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { pathTo } from '../navigation/match.js';
import { ListPanel } from './list-panel.js';
import type { Circuit, useCircuits } from './lists.js';

const STATES = {
  open: { word: 'Open: calls are refused', tone: 'bad' },
  half_open: { word: 'Half-open: one call may try', tone: 'warn' },
  closed: { word: 'Closed: failed lately', tone: 'neutral' },
} as const;

const COLUMNS: readonly Column<Circuit>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool, version }) => <InertText text={`${tool} ${version}`} /> },
  { id: 'state', title: 'Circuit', cell: ({ state }) => <StatusBadge status={state} {...STATES[state]} />, width: '230px' },
  {
    id: 'outcomes',
    title: 'Outcomes',
    cell: ({ outcomes }) => `${outcomes.failed} failed, ${outcomes.succeeded} succeeded`,
    width: '190px',
  },
  {
    id: 'again',
    title: 'Tried again',
    cell: ({ half_open_at }) => half_open_at && <RelativeTime at={half_open_at} />,
    width: '120px',
    align: 'end',
  },
];

export function CircuitsPanel({ list }: { list: ReturnType<typeof useCircuits> }) {
  return (
    <ListPanel
      id="circuits"
      title="Circuits"
      about="A version of a tool that fails too often is not called until its circuit closes. Outcomes are of the last minute, or since it opened."
      list={list}
      empty="No tool failed lately"
    >
      {(items) => (
        <Table
          label="Circuits"
          columns={COLUMNS}
          items={items}
          keyOf={({ tool, version }) => `${tool}@${version}`}
          hrefOf={({ tool }) => pathTo('/tools/:name', { name: tool })}
          more={list}
        />
      )}
    </ListPanel>
  );
}
