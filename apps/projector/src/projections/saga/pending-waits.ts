import { endSagaWaits, insertSagaWaits, type SagaWaitEnd, type SagaWaitWrite, type Statement } from '@countersign/store';
import { inChunks, storable } from '../projection.js';
import { type SagaEvent, sagaOf, storableJson } from './saga-event.js';

/** The rows of `saga_waits`. The answer of a wait is not shown: it may be personal. */
export class PendingWaits {
  private readonly opened: SagaWaitWrite[] = [];
  private readonly ended: SagaWaitEnd[] = [];

  fold(at: SagaEvent): void {
    if (at.event_type === 'saga_wait_opened') {
      const { step_id, wait, event_name, until_ms, opened_at_ms } = at.event;
      const what = { step_id: storable(step_id), wait, event_name: storable(event_name), until_ms, opened_at_ms };
      this.opened.push({ ...sagaOf(at), opened_offset: at.offset, ...what });
    } else if (at.event_type === 'saga_wait_ended') {
      const { step_id, ended_as, by, reason, ended_at_ms } = at.event;
      const who = { ended_by: storableJson(by), end_reason: storable(reason) };
      this.ended.push({ ...sagaOf(at), step_id: storable(step_id), offset: at.offset, ended_as, ...who, ended_at_ms });
    }
  }

  statements(): Statement[] {
    return [...inChunks(this.opened, insertSagaWaits), ...inChunks(this.ended, endSagaWaits)];
  }
}
