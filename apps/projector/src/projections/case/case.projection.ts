import { type CaseWrite, type Statement, caseTables as set, upsertCases } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

class PendingCases implements PendingRows {
  private readonly rows = new Map<string, CaseWrite>();

  fold({ at }: Change): void {
    if (at.event_type !== 'case_set' || at.is_refused) return;
    const { meta, case_id, state, title, external_id, metadata_json, changed_at_ms } = at.event;
    const key = JSON.stringify([meta.tenant_id, case_id]);
    const before = this.rows.get(key);
    this.rows.set(key, {
      tenant_id: storable(meta.tenant_id),
      case_id: storable(case_id),
      state,
      title: storable(title ?? before?.title ?? null),
      external_id: storable(external_id ?? before?.external_id ?? null),
      metadata_json: storable(metadata_json ?? before?.metadata_json ?? null),
      opened_at_ms: before?.opened_at_ms ?? changed_at_ms,
      changed_at_ms,
      source_offset: at.offset,
    });
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], upsertCases);
  }
}

/** Cases and their titles. Whether a case awaits approval is read from `calls` at query time, so the two cannot disagree. */
export const cases: Projection = { set, empty: () => new PendingCases() };
