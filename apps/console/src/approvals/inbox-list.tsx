import { useRef, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { rowAfter } from '../elements/row-keys.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useShortcuts } from '../navigation/keyboard.js';
import { useNavigate, usePlace } from '../navigation/navigation.js';
import { approvalPath, type InboxItem } from './approval.js';
import { BatchBar } from './batch-bar.js';
import { BatchDialog } from './batch-dialog.js';
import { InboxFilterBar } from './inbox-filter-bar.js';
import { filtersOf, type InboxFilters } from './inbox-filters.js';
import { InboxRow } from './inbox-row.js';
import { type BatchVote, chosen, toggled } from './selection.js';
import type { StableRow } from './stable-list.js';
import { type Inbox, useInbox } from './use-inbox.js';
import { usePerson } from './use-person.js';
import { isMine } from './who-may-vote.js';

/** The requests, the oldest first: `j` and `k` move, Enter opens, `x` selects for a decision about several. */
export function InboxList({ open_id }: { open_id: string }) {
  const { query } = usePlace();
  const filters = filtersOf(query);
  const inbox = useInbox(filters);
  const { person, delegators } = usePerson();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const shown = inbox.rows?.filter(({ item, key }) => !filters.is_mine || key === open_id || isMine(item, person, delegators));
  const picked = chosen(shown?.filter(({ is_gone }) => !is_gone).map(({ item }) => item) ?? [], selected);
  // the dialog keeps the requests that its person saw when it opened
  const [batch, setBatch] = useState<{ vote: BatchVote; items: readonly InboxItem[] }>();
  const clear = () => setSelected(new Set());
  const toggle = (item: InboxItem) => setSelected((now) => toggled(now, item));
  return (
    <section class="inbox-list" aria-label="Requests">
      <InboxFilterBar filters={filters} shown={shown?.length} has_more={inbox.has_more} />
      {inbox.problem && <ErrorState problem={inbox.problem} retry={inbox.refresh} />}
      {!shown && !inbox.problem && <Skeleton lines={9} label="Loading requests" />}
      {shown?.length === 0 && !inbox.has_more && <NothingWaits filters={filters} />}
      {shown && shown.length > 0 && <Rows {...{ rows: shown, inbox, open_id, selected, toggle, query }} />}
      {inbox.has_more && (
        <div class="inbox-more">
          <Button is_busy={inbox.is_loading_more} onClick={inbox.more}>
            {inbox.is_loading_more ? 'Loading' : 'Load more'}
          </Button>
        </div>
      )}
      {picked.length > 0 && <BatchBar count={picked.length} decide={(vote) => setBatch({ vote, items: picked })} clear={clear} />}
      {batch && <BatchDialog {...batch} onClose={() => setBatch(undefined)} onDone={clear} />}
    </section>
  );
}

const ARROWS = ['ArrowDown', 'ArrowUp', 'Home', 'End'];

interface RowsProps {
  rows: readonly StableRow<InboxItem>[];
  inbox: Inbox;
  open_id: string;
  selected: ReadonlySet<string>;
  toggle: (item: InboxItem) => void;
  query: string;
}

function Rows({ rows, inbox, open_id, selected, toggle, query }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const go = useNavigate();
  const [current, setCurrent] = useState(open_id);
  const at = rows.findIndex(({ key }) => key === current);
  const move = (key: string) => {
    const row = rows[rowAfter(key, at, rows.length) ?? -1];
    if (!row) return;
    setCurrent(row.key);
    list.current?.querySelector<HTMLElement>(`[data-row-of="${CSS.escape(row.key)}"]`)?.focus();
  };
  const moveByArrow = (event: KeyboardEvent) => {
    if (!ARROWS.includes(event.key)) return;
    event.preventDefault();
    move(event.key);
  };
  const open = () => current !== '' && at >= 0 && go(approvalPath(current) + query);
  const select = () => {
    const row = rows[at];
    if (row && !row.is_gone) toggle(row.item);
  };
  useShortcuts([
    { keys: 'j', label: 'Next request', group: 'Requests', run: () => move('j') },
    { keys: 'k', label: 'Former request', group: 'Requests', run: () => move('k') },
    { keys: 'Enter', label: 'Open the request', group: 'Requests', run: open },
    { keys: 'x', label: 'Select for a decision about several', group: 'Requests', run: select },
  ]);
  const gone = rows.filter(({ is_gone }) => is_gone).length;
  const actions = useRef({ toggle, setCurrent });
  actions.current = { toggle, setCurrent };
  const [on] = useState(() => ({
    toggle: (item: InboxItem) => actions.current.toggle(item),
    focus: (key: string) => actions.current.setCurrent(key),
  }));
  return (
    <>
      <ul ref={list} class="inbox-rows" aria-label="Requests, oldest first" onKeyDown={moveByArrow}>
        {rows.map(({ key, item, is_gone }) => (
          <InboxRow
            key={key}
            item={item}
            query={query}
            end={is_gone ? (inbox.ends.get(key) ?? 'ended') : undefined}
            is_open={key === open_id}
            is_selected={selected.has(key)}
            onToggle={on.toggle}
            onFocus={on.focus}
          />
        ))}
      </ul>
      {gone > 0 && (
        <p class="inbox-gone" role="status">
          {gone} {gone === 1 ? 'request has' : 'requests have'} ended.
          <button type="button" class="text-button" onClick={inbox.clear}>
            Remove from the list
          </button>
        </p>
      )}
    </>
  );
}

function NothingWaits({ filters }: { filters: InboxFilters }) {
  const is_filtered = filters.tool !== '' || filters.principal !== '' || filters.status !== 'pending';
  if (is_filtered)
    return (
      <EmptyState icon="filter" title="No request matches">
        <p>Change the filters above to see others.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title={filters.is_mine ? 'Nothing waits for you' : 'Nothing waits'}>
      <p>A call that a policy does not allow by itself waits here until people decide.</p>
    </EmptyState>
  );
}
