import { useEffect, useState } from 'preact/hooks';

/** How far a running tool says that it is. */
export interface CallProgress {
  /** From 0 to 1; null: the tool does not say. */
  fraction: number | null;
  message: string;
}

/** Follows the progress of a running call. Its status comes by the stream of the tenant. */
export function useProgress(call_id: string): CallProgress | undefined {
  const [progress, setProgress] = useState<CallProgress>();
  useEffect(() => {
    const source = new EventSource(`/v1/calls/${encodeURIComponent(call_id)}/events`);
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => setProgress(progressOf(data)));
    return () => source.close();
  }, [call_id]);
  return progress;
}

/** What a tool reports is hostile until it has the form of a progress. */
export function progressOf(text: string): CallProgress | undefined {
  try {
    const { fraction, message } = (JSON.parse(text) ?? {}) as { fraction?: unknown; message?: unknown };
    const is_share = typeof fraction === 'number' && fraction >= 0 && fraction <= 1;
    return { fraction: is_share ? fraction : null, message: typeof message === 'string' ? message : '' };
  } catch {
    return undefined;
  }
}
