import { useEffect, useRef } from 'preact/hooks';
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
  /** Reads again after this time, while the page is visible: for what changes without an event. */
  every_ms?: number;
  read: (api: Gateway['api'], cursor: string | undefined, signal: AbortSignal) => Sent<Page<T>>;
}

/** Reads a list of the page, if the roles of the session show it. */
export function useList<T>({ roles, also = [], every_ms, ...options }: ListOptions<T>) {
  const enabled = hasRole(useSession(), roles);
  const list = useInfinite<T>({ ...options, also, enabled });
  const refresh = useRef(list.refresh);
  refresh.current = list.refresh;
  useEffect(() => {
    if (every_ms === undefined || !enabled) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh.current(), every_ms);
    return () => clearInterval(timer);
  }, [every_ms, enabled]);
  return list;
}

/** The query of a list: a short page, from a cursor on. */
export const pageAt = (cursor: string | undefined, limit = 20) => (cursor === undefined ? { limit } : { limit, cursor });
