import { type Statement, rebuildRequests as set, upsertRebuildRequests } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

class PendingRequests implements PendingRows {
  private readonly requests = new Map<string, number>();

  fold({ at }: Change): void {
    if (at.event_type === 'projection_rebuild_requested') this.requests.set(storable(at.event.projection), at.offset);
  }

  statements(): Statement[] {
    const rows = [...this.requests].map(([projection, asked_offset]) => ({ projection, asked_offset }));
    return inChunks(rows, upsertRebuildRequests);
  }
}

/** Rebuild requests by projection. */
export const rebuildRequests: Projection = { set, empty: () => new PendingRequests() };
