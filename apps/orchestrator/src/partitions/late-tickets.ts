import type { Sql } from '@countersign/store';
import { readPlaceOfLateTicket } from '@countersign/store';
import type { OpenSaga } from '../sagas/open-saga.js';
import { readSagaFromLog } from './read-saga.js';
import type { SagaSource } from './saga-replay.js';

/** Sagas that ended, and whose late effect nobody has answered yet: a person may still do so. */
export class LateTickets {
  constructor(
    private readonly views: Sql,
    private readonly source: SagaSource,
  ) {}

  /** The saga with its state; undefined if it has no open ticket of a late effect of this step. */
  async sagaOf(lane: string, of: { tenant_id: string; saga_id: string; step_id: string }): Promise<OpenSaga | undefined> {
    const place = await readPlaceOfLateTicket(this.views, of);
    return place && readSagaFromLog(this.source, { ...place, ...of, lane });
  }
}
