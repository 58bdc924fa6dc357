import type { LogPosition } from '@countersign/store';

/** What a reader has seen of the log, and how long it waits for views that show it. */
export interface Seen {
  readonly positions: readonly LogPosition[];
  readonly wait_ms: number;
}

export const NOTHING_SEEN: Seen = { positions: [], wait_ms: 1000 };
