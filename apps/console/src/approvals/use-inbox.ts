import { useRef, useState } from 'preact/hooks';
import type { Sent } from '../gateway/answer.js';
import { type InfiniteResult, type Page, useInfinite } from '../gateway/use-infinite.js';
import { useLiveEvents } from '../live/live.js';
import { EXPANDED, type InboxItem } from './approval.js';
import { type InboxFilters, listQuery } from './inbox-filters.js';
import { nextRows, type StableRow } from './stable-list.js';

const PAGE = 50;
const keyOf = ({ approval_id }: InboxItem): string => approval_id;
/** The order of the list. */
const orderOf = ({ requested_at, approval_id }: InboxItem): string => `${requested_at} ${approval_id}`;

export interface Inbox extends Omit<InfiniteResult<InboxItem>, 'items'> {
  /** In the order in which they came into view; undefined before the first answer. */
  rows: readonly StableRow<InboxItem>[] | undefined;
  /** How the requests that are no longer part of the list ended, as far as it was reported. */
  ends: ReadonlyMap<string, string>;
  /** Removes the rows that are no longer part of the list. */
  clear: () => void;
}

interface Shown {
  key: string;
  items: readonly InboxItem[] | undefined;
  rows: StableRow<InboxItem>[];
}

/** The listed requests. Rows keep their places while the list changes: a finger or a key meets the row that its person sees. */
export function useInbox(filters: InboxFilters): Inbox {
  const query = listQuery(filters);
  const key = JSON.stringify(query);
  const { items, ...list } = useInfinite<InboxItem>({
    kind: 'approval',
    key: [query],
    read: (api, cursor, signal) =>
      api.GET('/v1/approvals', {
        params: { query: { ...query, limit: PAGE, expand: EXPANDED, ...(cursor ? { cursor } : {}) } },
        signal,
      } as never) as Sent<Page<InboxItem>>,
  });
  const [ends, setEnds] = useState<ReadonlyMap<string, string>>(new Map());
  const shown = useRef<Shown>({ key, items: undefined, rows: [] });
  const [, clearAgain] = useState(0);
  const is_other = shown.current.key !== key;
  if (items && (is_other || items !== shown.current.items)) {
    const last = items.at(-1);
    const isBeyond = (item: InboxItem) => list.has_more && last !== undefined && !ends.has(keyOf(item)) && orderOf(item) > orderOf(last);
    shown.current = { key, items, rows: nextRows(is_other ? [] : shown.current.rows, items, keyOf, isBeyond) };
  }
  useLiveEvents(({ kind, id, status }) => {
    const is_end = kind === 'approval' && status !== undefined && status !== 'pending';
    if (is_end && shown.current.rows.some((row) => row.key === id)) setEnds((all) => new Map(all).set(id, status));
  });
  const clear = () => {
    shown.current = { ...shown.current, rows: shown.current.rows.filter(({ is_gone }) => !is_gone) };
    clearAgain((count) => count + 1);
  };
  return { ...list, rows: items && shown.current.key === key ? shown.current.rows : undefined, ends, clear };
}
