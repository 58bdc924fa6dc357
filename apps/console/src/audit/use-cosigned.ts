import { useEffect, useState } from 'preact/hooks';
import { useApi } from '../gateway/context.js';
import type { PinnedKeys } from './pinned-keys.js';
import { readNote } from './read-log.js';

/** Who signed the newest cosigned checkpoint. Only signatures of pinned witnesses are verified. */
export type CosignedCheckpoint =
  | { kind: 'none'; reason: string }
  | { kind: 'cosigned'; size: number; signers: { name: string; is_verified: boolean; checks?: 'heads' | 'entries' }[] };

/** Reads the newest checkpoint that the witnesses of the installation cosigned, again when the log has grown. */
export function useCosigned(keys: readonly PinnedKeys[], newest_size: number): CosignedCheckpoint | undefined {
  const api = useApi();
  const [cosigned, setCosigned] = useState<CosignedCheckpoint>();
  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      const answer = await readNote(api, true, stop.signal);
      if (!answer.ok) return { kind: 'none' as const, reason: answer.problem.detail ?? answer.problem.title };
      const { cosignersOf } = await import('./proof/browser-verifier.js');
      const { note, vkey } = answer.data;
      return cosignersOf(
        note,
        vkey,
        keys.map(({ text }) => text),
      );
    };
    read().then(
      (next) => stop.signal.aborted || setCosigned(next),
      (cause: unknown) => {
        if (!stop.signal.aborted) throw cause;
      },
    );
    return () => stop.abort();
  }, [api, keys, newest_size]);
  return cosigned;
}
