import { lateEffectOf } from '@countersign/domain';
import { insertSagaLateEffects, type SagaLateEffect, type Statement } from '@countersign/store';
import { type Change, inChunks, storable } from '../projection.js';

/** The rows of `saga_late_effects`: the orchestrator tells the sagas. */
export class PendingLateEffects {
  private readonly rows = new Map<string, SagaLateEffect>();

  fold({ after }: Pick<Change, 'after'>): void {
    const saga = after?.late_effect && lateEffectOf(after) ? after.call?.saga : undefined;
    if (!after || !saga) return;
    const { tenant_id, call_id } = after;
    const row = { tenant_id: storable(tenant_id), saga_id: storable(saga.saga_id), call_id, step_id: storable(saga.step_id) };
    this.rows.set(call_id, row);
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], insertSagaLateEffects);
  }
}
