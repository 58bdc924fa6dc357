import { useEffect, useState } from 'preact/hooks';
import { useApi, useReachable } from '../gateway/context.js';
import type { PinnedKeys } from './pinned-keys.js';
import { type LogState, readLogState } from './read-log.js';

const EVERY_MS = 30_000;

/** The newest checkpoint, compared with what this browser remembers: now, when the gateway answers again, and every 30 s. */
export function useLogState(keys: readonly PinnedKeys[], round: number): LogState | undefined {
  const api = useApi();
  const is_reachable = useReachable();
  const [state, setState] = useState<LogState>();
  useEffect(() => {
    const stop = new AbortController();
    const read = () =>
      readLogState(
        api,
        keys.map(({ text }) => text),
        stop.signal,
      ).then(
        (next) => stop.signal.aborted || setState(next),
        (cause: unknown) => {
          if (!stop.signal.aborted) throw cause;
        },
      );
    read();
    const timer = setInterval(() => document.visibilityState === 'visible' && read(), EVERY_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [api, keys, round, is_reachable]);
  return state;
}
