import type { components } from '@countersign/client';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';

type CallItem = components['schemas']['CallListItem'];

const COLUMNS: readonly Column<CallItem>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <InertText text={tool ?? 'unknown tool'} characters_max={80} mono /> },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status ?? 'unknown'} />, width: '180px' },
  { id: 'requested', title: 'Requested', cell: ({ t_start }) => t_start && <RelativeTime at={t_start} />, width: '120px', align: 'end' },
];
const SHOWN = 8;

/** What agents did last. */
export function RecentCalls() {
  const query = { limit: SHOWN, expand: 't_start' };
  const calls = useQuery({ kind: 'call', key: ['latest'], read: (api, signal) => api.GET('/v1/calls', { params: { query }, signal }) });
  if (calls.is_loading) return <Skeleton lines={4} label="Loading the latest calls" />;
  if (!calls.data) return calls.problem ? <ErrorState problem={calls.problem} retry={calls.refresh} /> : null;
  if (calls.data.items.length === 0)
    return (
      <Panel title="Latest calls">
        <p class="soft">None yet. Calls of your agents appear here as they are made.</p>
      </Panel>
    );
  return (
    <section class="stack-tight" aria-label="Latest calls">
      <div class="row row-spread">
        <h2>Latest calls</h2>
        <Link href="/calls">All calls</Link>
      </div>
      <Table
        label="Latest calls"
        columns={COLUMNS}
        items={calls.data.items}
        keyOf={({ call_id }) => call_id ?? ''}
        hrefOf={({ call_id }) => pathTo('/calls/:id', { id: call_id ?? '' })}
      />
    </section>
  );
}
