import { heldBy, type Ownership, type ProjectionOffset, type Statement, storeOffsets } from '@countersign/store';
import type { Change, PendingRows, Projection } from '../projections/projection.js';

/** What was folded since the last write: rows of every projection and the offsets they stand for. */
export class PendingWrite {
  readonly call_ids = new Set<string>();
  private readonly rows: PendingRows[];
  private readonly offsets = new Map<string, ProjectionOffset>();

  constructor(projections: readonly Projection[]) {
    this.rows = projections.map((projection) => projection.empty());
  }

  get isEmpty(): boolean {
    return this.offsets.size === 0;
  }

  fold(change: Change): void {
    for (const rows of this.rows) rows.fold(change);
    if (change.after && change.after !== change.before) this.call_ids.add(change.after.call_id);
  }

  passed(offset: ProjectionOffset): void {
    this.offsets.set(offset.topic, offset);
  }

  /** One transaction: nothing of it holds unless the partition is still ours. */
  statements(own: Ownership): Statement[] {
    return [heldBy(own), ...this.rows.flatMap((rows) => rows.statements()), storeOffsets([...this.offsets.values()])];
  }
}
