import type { components } from '@countersign/client';
import { Panel, Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { useQuery } from '../gateway/use-query.js';

type CallItem = components['schemas']['CallListItem'];

const COLUMNS: readonly Column<CallItem>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => tool ?? 'unknown tool' },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status ?? 'unknown'} />, width: '180px' },
  { id: 'requested', title: 'Requested', cell: ({ t_start }) => t_start && <RelativeTime at={t_start} />, width: '120px', align: 'end' },
];

/** `/`: where to begin, and what happened last. */
export default function HomeScreen() {
  const { principal, tenant_id } = useSession();
  return (
    <Screen title="Home" about={`Signed in as ${principal.id} of tenant ${tenant_id}`}>
      <LatestCalls />
      <Panel title="First steps">
        <ul class="stack-tight">
          <li>
            <a href="/docs/tutorials/first-call">Your first call</a>: call a tool and read what happened
          </li>
          <li>
            <a href="/docs/tutorials/first-approval">Your first approval</a>: let a second person decide
          </li>
          <li>
            <a href="/docs/tutorials/first-tool">Your first tool</a>: write one and call it
          </li>
        </ul>
      </Panel>
    </Screen>
  );
}

function LatestCalls() {
  const query = { limit: 8, expand: 't_start' };
  const calls = useQuery({ kind: 'call', key: ['latest'], read: (api, signal) => api.GET('/v1/calls', { params: { query }, signal }) });
  if (calls.is_loading) return <Skeleton lines={4} />;
  if (!calls.data) return calls.problem ? <ErrorState problem={calls.problem} retry={calls.refresh} /> : null;
  if (calls.data.items.length === 0)
    return (
      <Panel>
        <EmptyState icon="calls" title="No calls yet">
          Calls of your agents appear here as they are made.
        </EmptyState>
      </Panel>
    );
  return <Table label="Latest calls" columns={COLUMNS} items={calls.data.items} keyOf={({ call_id }) => call_id ?? ''} />;
}
