import type { BundleProgress } from '@countersign/verifier';
import { useEffect, useState } from 'preact/hooks';
import { useApi, useSession } from '../gateway/context.js';
import { type CheckOutcome, check, type Subject } from './check.js';
import type { PinnedKeys } from './pinned-keys.js';

export type CheckState =
  | { kind: 'idle' }
  | { kind: 'running'; progress: BundleProgress | 'reading' }
  | CheckOutcome
  /** Something that the console did not expect. */
  | { kind: 'broken'; message: string };

/** Verifies a subject, and again when it, the keys or `round` change. */
export function useCheck(subject: Subject | undefined, keys: readonly PinnedKeys[], round: number): CheckState {
  const api = useApi();
  const { tenant_id } = useSession();
  const [state, setState] = useState<CheckState>({ kind: 'idle' });
  useEffect(() => {
    if (!subject) return setState({ kind: 'idle' });
    const stop = new AbortController();
    const show = (next: CheckState) => !stop.signal.aborted && setState(next);
    const onProgress = (progress: BundleProgress | 'reading') => show({ kind: 'running', progress });
    check(subject, { api, keys, tenant_id, onProgress, signal: stop.signal }).then(show, (cause: unknown) =>
      show({ kind: 'broken', message: cause instanceof Error ? cause.message : 'unknown cause' }),
    );
    return () => stop.abort();
  }, [subject, keys, round, api, tenant_id]);
  return state;
}
