import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import { useQuery } from '../gateway/use-query.js';
import { placeOf } from './upstream.js';

type Revision = Schemas['UpstreamRevision'];

const COLUMNS: readonly Column<Revision>[] = [
  { id: 'revision', title: 'Revision', cell: ({ revision, removed }) => `${revision}${removed ? ' (removed)' : ''}`, width: '130px' },
  {
    id: 'place',
    title: 'Address or command',
    cell: ({ url, command, removed }) =>
      removed ? <span class="faint">none</span> : <InertText text={placeOf({ url, command })} characters_max={120} mono />,
    width: 'minmax(0, 2fr)',
  },
  { id: 'by', title: 'By', cell: ({ changed_by }) => <InertText text={changed_by.id} characters_max={60} />, is_wide_only: true },
  { id: 'at', title: 'When', cell: ({ changed_at }) => <RelativeTime at={changed_at} />, width: '110px', align: 'end' },
];

/** What was set before, newest first. */
export function Revisions({ name }: { name: string }) {
  const { data, problem, is_loading, refresh } = useQuery({
    kind: 'configuration',
    key: ['upstream-revisions', name],
    read: (api, signal) => api.GET('/v1/upstreams/{name}/revisions', { params: { path: { name } }, signal }),
  });
  if (is_loading) return <Skeleton lines={2} />;
  if (!data) return problem ? <ErrorState problem={problem} retry={refresh} /> : null;
  return <Table label="Revisions" columns={COLUMNS} items={data.items} keyOf={({ revision }) => String(revision)} />;
}
