import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel, Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useNavigate } from '../navigation/navigation.js';
import { attentionText, HealthBadge } from './state-words.js';
import { type ListedUpstream, placeOf, READERS, SETTERS, upstreamPath, useUpstreams } from './upstream.js';
import { UpstreamForm } from './upstream-form.js';

const COLUMNS: readonly Column<ListedUpstream>[] = [
  { id: 'name', title: 'Upstream', cell: ({ name }) => <InertText text={name} mono />, width: '150px' },
  {
    id: 'place',
    title: 'Address or command',
    cell: ({ url, command }) => <InertText text={placeOf({ url, command })} characters_max={120} mono />,
    width: 'minmax(0, 1.6fr)',
    is_wide_only: true,
  },
  { id: 'health', title: 'State', cell: ({ health }) => <HealthBadge health={health} />, width: '130px' },
  { id: 'tools', title: 'Tools', cell: ({ tools }) => `${tools} ${tools === 1 ? 'tool' : 'tools'}`, width: '80px', is_wide_only: true },
  { id: 'attention', title: 'Needs a person', cell: (upstream) => <Attention {...upstream} />, width: 'minmax(0, 1.3fr)' },
  {
    id: 'listed',
    title: 'Last listing with news',
    cell: ({ health: { listed_at } }) => (listed_at === null ? <span class="faint">none</span> : <RelativeTime at={listed_at} />),
    width: '150px',
    align: 'end',
    is_wide_only: true,
  },
];

function Attention({ tools_in_state, health }: ListedUpstream) {
  const text = attentionText(tools_in_state);
  if (health.state === 'unhealthy' && health.reason !== null) return <InertText text={health.reason} characters_max={120} />;
  if (text === undefined) return <span class="faint">nothing</span>;
  return <StatusBadge status="waits" tone={tools_in_state.suspended > 0 ? 'bad' : 'warn'} word={text} />;
}

/** `/upstreams`: MCP servers whose tools are governed here. */
export default function UpstreamsScreen() {
  const session = useSession();
  const [is_adding, setAdding] = useState(false);
  const go = useNavigate();
  const refused = refusalOf(session, SETTERS);
  const unreadable = refusalOf(session, READERS);
  return (
    <Screen
      title="Upstreams"
      about="MCP servers whose tools are decided, approved and recorded here."
      actions={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)} disabled={refused !== undefined} title={refused}>
          Add an upstream
        </Button>
      }
    >
      {refused && !unreadable && <p class="soft">{refused}</p>}
      {unreadable ? <Unreadable why={unreadable} /> : <List />}
      {is_adding && <UpstreamForm onClose={() => setAdding(false)} onSet={(name) => go(upstreamPath(name))} />}
    </Screen>
  );
}

export function Unreadable({ why }: { why: string }) {
  return (
    <Panel>
      <EmptyState icon="key" title="You may not read this">
        {why} Ask an administrator.
      </EmptyState>
    </Panel>
  );
}

function List() {
  const { data, problem, is_loading, refresh } = useUpstreams();
  if (is_loading) return <Skeleton lines={5} label="Loading the upstreams" />;
  if (!data) return problem ? <ErrorState problem={problem} retry={refresh} /> : null;
  if (data.length === 0)
    return (
      <Panel>
        <EmptyState icon="upstreams" title="No upstreams yet">
          Add the address of an MCP server, or a command of this installation. Its tools need an approval for each call until an operator
          classifies them.
        </EmptyState>
      </Panel>
    );
  return <Table label="Upstreams" columns={COLUMNS} items={data} keyOf={({ name }) => name} hrefOf={({ name }) => upstreamPath(name)} />;
}
