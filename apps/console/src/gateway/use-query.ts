import { QueryObserver, type QueryObserverOptions } from '@tanstack/query-core';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import { answerOf, type Problem, ProblemError, type Sent } from './answer.js';
import { useGateway } from './context.js';
import type { Gateway } from './gateway.js';
import type { Kind, QueryKey } from './query-keys.js';

export interface QueryOptions<T> {
  /** What the answer shows: a change of it that the live stream reports makes the query read again. */
  kind: Kind;
  /** The item; without it a list. */
  id?: string;
  /** What else the answer depends on: filters, the name of a part of the item. */
  key?: readonly unknown[];
  /** Further kinds that the answer shows. */
  also?: readonly Kind[];
  read: (api: Gateway['api'], signal: AbortSignal) => Sent<T>;
  /** False: it is not read yet. */
  enabled?: boolean;
  /** Reads again after this time, while the page is visible: for what the live stream does not report. */
  every_ms?: number;
  /** Shows the former answer while that of other filters is read. */
  keep?: boolean;
}

/** What a screen knows of an answer. `data` and `problem` may both be there: a refresh failed, the former answer is shown. */
export interface QueryResult<T> {
  data: T | undefined;
  problem: Problem | undefined;
  /** No answer yet. */
  is_loading: boolean;
  is_fetching: boolean;
  refresh: () => void;
}

export const queryKeyOf = ({ kind, id, key = [] }: Pick<QueryOptions<unknown>, 'kind' | 'id' | 'key'>): QueryKey => [
  kind,
  id ?? 'list',
  ...key,
];

/** Data, or a rejection that carries the problem. */
export async function dataOf<T>(sent: Sent<T>): Promise<T> {
  const answer = await answerOf(sent);
  if (!answer.ok) throw new ProblemError(answer.problem);
  return answer.data;
}

/** Reads something and keeps it up to date while the component is shown. */
export function useQuery<T>(options: QueryOptions<T>): QueryResult<T> {
  const { api, queries } = useGateway();
  const observed: QueryObserverOptions<T> = {
    queryKey: queryKeyOf(options),
    queryFn: ({ signal }) => dataOf(options.read(api, signal)),
    enabled: options.enabled ?? true,
    meta: { also: options.also },
    ...(options.every_ms === undefined ? {} : { refetchInterval: options.every_ms }),
    ...(options.keep ? { placeholderData: (before: T | undefined) => before as never } : {}),
  };
  const [observer] = useState(() => new QueryObserver<T>(queries, observed));
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => observer.setOptions(observed));
  useEffect(() => observer.subscribe(() => render()), [observer]);
  const { data, error, isPending, isFetching, refetch } = observer.getOptimisticResult(queries.defaultQueryOptions(observed) as never);
  return {
    data: data as T | undefined,
    problem: error instanceof ProblemError ? error.problem : undefined,
    is_loading: isPending && isFetching,
    is_fetching: isFetching,
    refresh: () => void refetch(),
  };
}
