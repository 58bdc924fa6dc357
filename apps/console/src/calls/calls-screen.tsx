import { useMemo, useState } from 'preact/hooks';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Table } from '../elements/table.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { FilterBar } from '../lists/filter-bar.js';
import { apiQuery, filtersOf } from '../lists/filters.js';
import { NewRows } from '../lists/new-rows.js';
import { useHeldRows } from '../lists/use-held-rows.js';
import { usePlace } from '../navigation/navigation.js';
import { callColumns, type ListedCall, MEMBERS } from './call-columns.js';
import { CALL_FILTERS, CALL_PRESETS } from './call-filters.js';

const PAGE = 50;
const keyOf = ({ call_id = '' }: ListedCall): string => call_id;
const hrefOf = ({ call_id = '' }: ListedCall): string => `/calls/${encodeURIComponent(call_id)}`;

/** `/calls`: all calls of the tenant, newest first. */
export default function CallsScreen() {
  const { query } = usePlace();
  const [opened_ms] = useState(() => Date.now());
  const values = useMemo(() => filtersOf(query, CALL_FILTERS), [query]);
  const sent = apiQuery(values, CALL_FILTERS, opened_ms);
  const list_key = JSON.stringify(sent);
  const list = useInfinite<ListedCall>({
    kind: 'call',
    key: ['screen', list_key],
    keep: true,
    read: (api, cursor, signal) =>
      api.GET('/v1/calls', { params: { query: { ...sent, fields: MEMBERS, limit: PAGE, ...(cursor ? { cursor } : {}) } }, signal }),
  });
  const { shown, held, show } = useHeldRows(list, keyOf, list_key);
  const is_filtered = Object.keys(sent).length > 0;
  return (
    <Screen title="Calls" about="Every tool call, newest first">
      <FilterBar search={{ name: 'text', label: 'Search calls' }} filters={CALL_FILTERS} values={values} presets={CALL_PRESETS} />
      {list.is_loading && <Skeleton lines={8} label="Reading calls" />}
      {!list.items && list.problem && <ErrorState problem={list.problem} retry={list.refresh} />}
      {list.items && shown.length === 0 && <NoCalls is_filtered={is_filtered} more={list.has_more ? list.more : undefined} />}
      {shown.length > 0 && (
        <div>
          <NewRows count={held} show={show} />
          <Table label="Calls" columns={callColumns} items={shown} keyOf={keyOf} hrefOf={hrefOf} more={list} />
        </div>
      )}
    </Screen>
  );
}

function NoCalls({ is_filtered, more }: { is_filtered: boolean; more: (() => void) | undefined }) {
  if (more)
    return (
      <EmptyState title="No match among the calls read so far">
        <p>
          <button type="button" class="text-button" onClick={more}>
            Search older calls
          </button>
        </p>
      </EmptyState>
    );
  if (is_filtered)
    return (
      <EmptyState title="No call matches these filters">
        <p>Remove a filter above, or look at a longer time.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="calls" title="No calls yet">
      <p>
        Calls appear here as soon as an agent makes one. <a href="/docs/tutorials/first-call">Make your first call</a>.
      </p>
    </EmptyState>
  );
}
