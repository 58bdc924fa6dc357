import { useEffect, useState } from 'preact/hooks';
import { useApi, useReachable } from '../gateway/context.js';
import type { PinnedKeys } from './pinned-keys.js';
import { type LogState, readLogState } from './read-log.js';

const EVERY_MS = 30_000;
/** After a request that failed. */
const AGAIN_MS = 2_000;

/**
 * The newest checkpoint, compared with what this browser remembers: now, when the gateway answers again, and every 30 s; soon after a
 * failure, which may arrive after the gateway has answered others again.
 */
export function useLogState(keys: readonly PinnedKeys[], round: number): LogState | undefined {
  const api = useApi();
  const is_reachable = useReachable();
  const [state, setState] = useState<LogState>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const texts = keys.map(({ text }) => text);
    const read = async (): Promise<void> => {
      const next = await readLogState(api, texts, stop.signal).catch((cause: unknown) => {
        if (stop.signal.aborted) return undefined;
        later(EVERY_MS);
        throw cause;
      });
      if (stop.signal.aborted || !next) return;
      setState(next);
      later(next.kind === 'unknown' ? AGAIN_MS : EVERY_MS);
    };
    const later = (pause_ms: number): void => {
      timer = setTimeout(() => (document.visibilityState === 'visible' ? void read() : later(EVERY_MS)), pause_ms);
    };
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, keys, round, is_reachable]);
  return state;
}
