import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import type { Schemas } from '../gateway/schemas.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { type DriftEvent, driftOf } from './drift.js';
import { TOOL_STATES, type ToolState, ToolStateBadge } from './state-words.js';
import { toolPath, type Upstream } from './upstream.js';

const OVERSIGHT = ['operator', 'auditor'];

/** What changed at the server, and which of its tools are not offered. */
export function ChangesTab({ upstream }: { upstream: Upstream }) {
  const refused = refusalOf(useSession(), OVERSIGHT);
  return (
    <div class="stack">
      <Panel title="Tools that changed, were suspended or went away">
        {refused ? <p class="soft">{refused}</p> : <DriftList name={upstream.name} />}
      </Panel>
      <Refused upstream={upstream} />
    </div>
  );
}

const COLUMNS: readonly Column<DriftEvent>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <InertText text={tool} characters_max={80} mono /> },
  {
    id: 'state',
    title: 'Became',
    cell: ({ state }) =>
      Object.hasOwn(TOOL_STATES, state) ? <ToolStateBadge state={state as ToolState} /> : <InertText text={state} characters_max={40} />,
    width: '130px',
  },
  {
    id: 'why',
    title: 'Why',
    cell: ({ why }) => <InertText text={why} characters_max={200} />,
    width: 'minmax(0, 2fr)',
    is_wide_only: true,
  },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} />, width: '110px', align: 'end' },
];

function DriftList({ name }: { name: string }) {
  const list = useInfinite<Schemas['SecurityEvent']>({
    kind: 'security',
    key: ['upstream-drift'],
    read: (api, cursor, signal) =>
      api.GET('/v1/security-events', {
        params: { query: { kind: 'upstream_tool_changed', limit: 100, ...(cursor && { cursor }) } },
        signal,
      }),
  });
  const { items, problem } = list;
  if (list.is_loading) return <Skeleton lines={3} />;
  if (!items) return problem ? <ErrorState problem={problem} retry={list.refresh} /> : null;
  const events = driftOf(items, name);
  if (events.length === 0 && !list.has_more) return <EmptyState icon="check" title="No tool has changed" />;
  return (
    <Table
      label="Changes of tools"
      columns={COLUMNS}
      items={events}
      keyOf={({ event_id }) => event_id}
      hrefOf={({ tool }) => toolPath(name, tool)}
      more={list}
    />
  );
}

/** Tools that the server lists and that are not offered, with the reason. */
function Refused({ upstream: { refused } }: { upstream: Upstream }) {
  if (refused.length === 0) return null;
  return (
    <Panel title="Not offered">
      <p class="soft">The server lists them, and their definitions are not taken.</p>
      <ul class="upstream-consequences">
        {refused.slice(0, 200).map(({ tool, reason }) => (
          <li key={tool + reason}>
            {tool !== '' && <InertText text={tool} characters_max={80} mono />} <InertText text={reason} characters_max={200} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
