import { RecordedCalls } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { type ReadSaga, readSaga, type SagaStepWrite } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { SHOWN_WITHIN_MS } from '../sagas/saga-answers.service.js';
import { SagaExchanges } from '../sagas/saga-exchanges.service.js';
import type { UndoneItem } from './undo.schemas.js';
import { undoneStep } from './undone-items.js';

/** How often the views are read while a request waits, ms. */
const LOOK_EVERY_MS = 250;
/** So long nothing has moved where only people can go on, ms: the next undo is requested shortly after the one before it has to wait. */
const STILL_FOR_MS = 1_000;

/** Follows a saga that undoes earlier calls. */
@Injectable()
export class UndoProgress {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly exchanges: SagaExchanges,
  ) {}

  /**
   * Its calls, newest first: once all are undone or only people can go on, at the latest after `wait_ms`. Undefined: the views do not have
   * the saga yet.
   */
  async of(tenant_id: string, saga_id: string, wait_ms: number): Promise<UndoneItem[] | undefined> {
    const until_ms = performance.now() + wait_ms;
    await this.calls.views.current({ positions: [], wait_ms: SHOWN_WITHIN_MS });
    for (let [before, since_ms] = ['', 0]; ; ) {
      const saga = await readSaga(this.calls.views.store, tenant_id, saga_id);
      const items = saga && (await this.items(saga));
      const now = JSON.stringify(items ?? null);
      const left_ms = until_ms - performance.now();
      if (now !== before) [before, since_ms] = [now, performance.now()];
      const isStill = performance.now() - since_ms >= STILL_FOR_MS;
      if (left_ms <= 0 || saga?.saga.end_status != null || (saga && items && isStill && isWaitingForPeople(saga, items))) return items;
      await this.exchanges.ended(tenant_id, saga_id, Math.min(left_ms, LOOK_EVERY_MS));
    }
  }

  private async items({ steps }: ReadSaga): Promise<UndoneItem[]> {
    return Promise.all(steps.toReversed().map(async (step) => undoneStep(step, await this.undoOf(step))));
  }

  private async undoOf({ tenant_id, undo_call_id }: SagaStepWrite): Promise<CallState | undefined> {
    return undo_call_id === null ? undefined : this.calls.views.call(tenant_id, undo_call_id);
  }
}

const isWaitingForPeople = ({ saga, steps }: ReadSaga, items: readonly UndoneItem[]): boolean =>
  saga.paused ||
  saga.status === 'compensation_failed' ||
  (steps.some(({ undo_state }) => undo_state === 'requested') &&
    items.every(({ status, reason }) => reason !== 'undo_requested' && (status === null || status !== 'running')) &&
    items.some(({ status }) => status === 'pending_approval'));
