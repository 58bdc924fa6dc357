import type { Sent } from '../gateway/answer.js';
import { useSession } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Kind } from '../gateway/query-keys.js';
import { hasRole } from '../gateway/session.js';
import { type Page, useInfinite } from '../gateway/use-infinite.js';

interface ListOptions<T> {
  kind: Kind;
  key: readonly unknown[];
  also?: readonly Kind[];
  /** Who may read it: for others it is not asked for. */
  roles?: readonly string[];
  read: (api: Gateway['api'], cursor: string | undefined, signal: AbortSignal) => Sent<Page<T>>;
}

/** Reads a list of the page, if the roles of the session show it. */
export function useList<T>({ roles, also = [], ...options }: ListOptions<T>) {
  const session = useSession();
  return useInfinite<T>({ ...options, also, enabled: hasRole(session, roles) });
}

/** The query of a list: a short page, from a cursor on. */
export const pageAt = (cursor: string | undefined, limit = 20) => (cursor === undefined ? { limit } : { limit, cursor });
