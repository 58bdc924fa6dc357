import type { LogPosition } from '@countersign/store';

/** The log positions that a reader has seen, and how long it waits for views that include them. */
export interface Seen {
  readonly positions: readonly LogPosition[];
  readonly wait_ms: number;
}

export const NOTHING_SEEN: Seen = { positions: [], wait_ms: 1000 };
