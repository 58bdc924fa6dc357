import { InfiniteQueryObserver, type InfiniteQueryObserverOptions } from '@tanstack/query-core';
import { useEffect, useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { ProblemError, type Sent } from './answer.js';
import { useGateway } from './context.js';
import type { Gateway } from './gateway.js';
import { dataOf, type QueryOptions, type QueryResult, queryKeyOf } from './use-query.js';

/** A page of a list: its items, and the cursor of the next page unless it is the last. */
export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export interface InfiniteOptions<T> extends Omit<QueryOptions<T>, 'read' | 'every_ms'> {
  read: (api: Gateway['api'], cursor: string | undefined, signal: AbortSignal) => Sent<Page<T>>;
}

/** A list, as far as it has been loaded. */
export interface InfiniteResult<T> extends Omit<QueryResult<T>, 'data'> {
  items: readonly T[] | undefined;
  has_more: boolean;
  is_loading_more: boolean;
  /** Shown is the former list, of other filters, while that of these is read. */
  is_former: boolean;
  more: () => void;
}

/** Reads a list page by page, and keeps the loaded pages up to date. */
export function useInfinite<T>(options: InfiniteOptions<T>): InfiniteResult<T> {
  const { api, queries } = useGateway();
  const observed = {
    queryKey: [...queryKeyOf(options), 'pages'],
    queryFn: ({ pageParam, signal }: { pageParam: unknown; signal: AbortSignal }) =>
      dataOf(options.read(api, pageParam as string | undefined, signal)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Page<T>) => last.next_cursor ?? undefined,
    enabled: options.enabled ?? true,
    meta: { also: options.also },
    ...(options.keep ? { placeholderData: (before: unknown) => before } : {}),
  } as unknown as InfiniteQueryObserverOptions<Page<T>>;
  const [observer] = useState(() => new InfiniteQueryObserver(queries, observed));
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => observer.setOptions(observed));
  useEffect(() => observer.subscribe(() => render()), [observer]);
  const result = observer.getOptimisticResult(queries.defaultQueryOptions(observed as never) as never);
  const pages = (result.data as { pages: Page<T>[] } | undefined)?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  return {
    items,
    problem: result.error instanceof ProblemError ? result.error.problem : undefined,
    is_loading: result.isPending && result.isFetching,
    is_fetching: result.isFetching,
    has_more: result.hasNextPage,
    is_loading_more: result.isFetchingNextPage,
    is_former: result.isPlaceholderData,
    more: () => void (result.isFetchingNextPage || result.fetchNextPage()),
    refresh: () => void result.refetch(),
  };
}
