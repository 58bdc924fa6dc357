import type { ComponentChildren } from 'preact';
import { Button } from '../elements/button.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import type { InfiniteResult } from '../gateway/use-infinite.js';

interface ListedProps<T> {
  label: string;
  /** One line that says what the list is. */
  about: ComponentChildren;
  /** The button above the list. */
  add?: { label: string; run: () => void; refused: string | undefined };
  /** Why the list may not be read. */
  refused?: string | undefined;
  list: InfiniteResult<T>;
  columns: readonly Column<T>[];
  keyOf: (item: T) => string;
  hrefOf?: (item: T) => string;
  empty: string;
  /** The link names an item that is not in the list. */
  is_missing?: boolean;
}

/** A list of settings with its button, or why it is not shown. */
export function Listed<T>({ about, add, refused, is_missing = false, ...list }: ListedProps<T>) {
  return (
    <div class="stack">
      <div class="row row-spread">
        <p class="soft">{about}</p>
        {add && (
          <Button look="primary" icon="plus" onClick={add.run} disabled={add.refused !== undefined} title={add.refused}>
            {add.label}
          </Button>
        )}
      </div>
      {add?.refused && add.refused !== refused && <p class="soft">{add.refused}</p>}
      {is_missing && list.list.items && !list.list.is_fetching && (
        <p role="status">
          The link names something that is not in this list: it was removed{list.list.has_more && ', or is further below'}.
        </p>
      )}
      {refused ? (
        <Panel>
          <EmptyState icon="key" title="You may not read this">
            {refused} Ask an administrator.
          </EmptyState>
        </Panel>
      ) : (
        <Items {...list} />
      )}
    </div>
  );
}

function Items<T>({ label, list, columns, keyOf, hrefOf, empty }: Omit<ListedProps<T>, 'about' | 'add' | 'refused'>) {
  if (list.is_loading) return <Skeleton lines={5} />;
  if (!list.items) return list.problem ? <ErrorState problem={list.problem} retry={list.refresh} /> : null;
  if (list.items.length === 0)
    return (
      <Panel>
        <EmptyState icon="settings" title="Nothing here yet">
          {empty}
        </EmptyState>
      </Panel>
    );
  return <Table {...{ label, columns, keyOf, more: list }} items={list.items} {...(hrefOf ? { hrefOf } : {})} />;
}
