import { useMemo, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { FilterBar } from '../lists/filter-bar.js';
import { apiQuery, filtersOf } from '../lists/filters.js';
import { NewRows } from '../lists/new-rows.js';
import { useHeldRows } from '../lists/use-held-rows.js';
import { usePlace } from '../navigation/navigation.js';
import { CASE_FILTERS, CASE_PRESETS } from './case-filters.js';

type Case = Schemas['Case'];

const PAGE = 50;
const keyOf = ({ case_id }: Case): string => case_id;
const hrefOf = ({ case_id }: Case): string => `/cases/${encodeURIComponent(case_id)}`;

const columns: readonly Column<Case>[] = [
  {
    id: 'title',
    title: 'Case',
    width: 'minmax(0, 4fr)',
    cell: (item) => <InertText text={item.title ?? item.case_id} characters_max={200} />,
  },
  { id: 'status', title: 'Status', width: '164px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'reference',
    title: 'External id',
    width: 'minmax(0, 1fr)',
    is_wide_only: true,
    cell: ({ external_id }) => <InertText text={external_id ?? ''} characters_max={60} mono />,
  },
  {
    id: 'metadata',
    title: 'Metadata',
    width: 'minmax(0, 1.4fr)',
    is_wide_only: true,
    cell: ({ metadata }) => <Metadata metadata={metadata} />,
  },
  { id: 'opened', title: 'Opened', width: '96px', cell: ({ opened_at }) => <RelativeTime at={opened_at} /> },
  { id: 'changed', title: 'Changed', width: '96px', is_wide_only: true, cell: ({ changed_at }) => <RelativeTime at={changed_at} /> },
];

/** `/cases`: groups of related calls, newest first. */
export default function CasesScreen() {
  const { query } = usePlace();
  const [opened_ms] = useState(() => Date.now());
  const values = useMemo(() => filtersOf(query, CASE_FILTERS), [query]);
  const sent = apiQuery(values, CASE_FILTERS, opened_ms);
  const list_key = JSON.stringify(sent);
  const list = useInfinite<Case>({
    kind: 'case',
    key: ['screen', list_key],
    keep: true,
    read: (api, cursor, signal) =>
      api.GET('/v1/cases', { params: { query: { ...sent, limit: PAGE, ...(cursor ? { cursor } : {}) } }, signal }),
  });
  const { shown, held, show } = useHeldRows(list, keyOf, list_key);
  return (
    <Screen title="Cases" about="Calls that belong together, newest first">
      <FilterBar search={{ name: 'text', label: 'Search titles' }} filters={CASE_FILTERS} values={values} presets={CASE_PRESETS} />
      {list.is_loading && <Skeleton lines={8} label="Reading cases" />}
      {!list.items && list.problem && <ErrorState problem={list.problem} retry={list.refresh} />}
      {list.items && shown.length === 0 && (
        <NoCases is_filtered={Object.keys(sent).length > 0} more={list.has_more ? list.more : undefined} />
      )}
      {shown.length > 0 && (
        <div>
          <NewRows count={held} show={show} />
          <Table label="Cases" columns={columns} items={shown} keyOf={keyOf} hrefOf={hrefOf} more={list} />
        </div>
      )}
    </Screen>
  );
}

function Metadata({ metadata }: { metadata: Case['metadata'] }) {
  const text = Object.entries(metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' · ');
  return (
    <span class="soft">
      <InertText text={text} characters_max={120} />
    </span>
  );
}

function NoCases({ is_filtered, more }: { is_filtered: boolean; more: (() => void) | undefined }) {
  if (more)
    return (
      <EmptyState title="No match among the cases read so far">
        <p>
          <button type="button" class="text-button" onClick={more}>
            Search older cases
          </button>
        </p>
      </EmptyState>
    );
  if (is_filtered)
    return (
      <EmptyState title="No case matches these filters">
        <p>Remove a filter above, or look at a longer time.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="cases" title="No cases yet">
      <p>An agent opens a case for calls that belong together, and names it in each call. Calls without a case are in the list of calls.</p>
    </EmptyState>
  );
}
