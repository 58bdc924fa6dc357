import { insertSagaSkips, type SagaSkipWrite, type Statement } from '@countersign/store';
import { inChunks, storable } from '../projection.js';
import { type SagaEvent, sagaOf } from './saga-event.js';

/** The rows of `saga_skips`. */
export class PendingSkips {
  private readonly rows: SagaSkipWrite[] = [];

  fold(at: SagaEvent): void {
    if (at.event_type !== 'saga_level_skipped') return;
    const { step_id, level, tool, version, reason, skipped_at_ms } = at.event;
    const what = { step_id: storable(step_id), level, tool: storable(tool), version: storable(version), reason, skipped_at_ms };
    this.rows.push({ ...sagaOf(at), source_offset: at.offset, ...what });
  }

  statements(): Statement[] {
    return inChunks(this.rows, insertSagaSkips);
  }
}
