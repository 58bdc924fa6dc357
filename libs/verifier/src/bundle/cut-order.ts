import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { type Causes, nameOf } from './causes.js';

/**
 * The first event whose cause is covered too late, where the cuts of both are proven; undefined: none. A cause is on the log before its
 * effect is written, so the cut after that of the effect covers it at the latest. `cuts`: by the index of the event.
 */
export function strangeCut(events: readonly PlacedEvent[], causes: Causes, cuts: ReadonlyMap<number, number>): string | undefined {
  const known = new Map(events.flatMap((at, index) => (cuts.has(index) ? [[at, cuts.get(index) as number] as const] : [])));
  for (const [at, cut] of known) {
    const cause = causes.of(at);
    const before = cause && known.get(cause);
    if (before !== undefined && before > cut + 1)
      return `${nameOf(at)} was covered by cut ${cut}, and its cause ${nameOf(cause as PlacedEvent)} only by cut ${before}: it was not on the log before`;
  }
  return undefined;
}
