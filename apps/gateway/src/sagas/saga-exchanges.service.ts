import type { EventMap } from '@countersign/contracts';
import type { Tenant } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { type SagaAnswer, SagaAnswers, type StartAnswer } from './saga-answers.service.js';
import { SagaRequests, type SagaRequestType } from './saga-requests.js';
import { SagaWatches } from './saga-watches.js';

type Fields<T extends SagaRequestType> = Omit<EventMap[T], 'meta' | 'requested_at_ms'>;
type Whose = Pick<Tenant, 'tenant_id' | 'lane'>;

/** Records requests about sagas and waits for their answers on the record. The watch is opened first, so that no answer is missed. */
@Injectable()
export class SagaExchanges {
  constructor(
    private readonly requests: SagaRequests,
    private readonly watches: SagaWatches,
    private readonly answers: SagaAnswers,
  ) {}

  /**
   * Requests a saga. Waits for its start and, if it starts, up to `wait_ms` for its end.
   * @returns undefined if nothing is on the record in time
   */
  async start(tenant: Whose, fields: Fields<'saga_requested'>, wait_ms: number): Promise<StartAnswer | undefined> {
    const { tenant_id } = tenant;
    const watch = this.watches.open(tenant_id, fields.saga_id);
    try {
      const command_id = await this.requests.record(tenant, 'saga_requested', fields);
      const answer = await this.answers.start(watch, tenant_id, fields.saga_id, command_id);
      if (answer?.kind !== 'started' || wait_ms === 0) return answer;
      const end = await this.answers.end(watch, tenant_id, fields.saga_id, wait_ms);
      return end ? { ...answer, end } : answer;
    } finally {
      watch.close();
    }
  }

  /** Requests something of a running saga. @returns undefined if nothing is on the record in time */
  async decided<T extends Exclude<SagaRequestType, 'saga_requested'>>(
    tenant: Whose,
    type: T,
    fields: Fields<T>,
  ): Promise<SagaAnswer | undefined> {
    const { saga_id } = fields as { saga_id: string };
    const watch = this.watches.open(tenant.tenant_id, saga_id);
    try {
      return await this.answers.outcome(watch, tenant.tenant_id, await this.requests.record(tenant, type, fields));
    } finally {
      watch.close();
    }
  }

  /** Resolves when a saga has ended, at the latest after this time. */
  async ended(tenant_id: string, saga_id: string, wait_ms: number): Promise<void> {
    const watch = this.watches.open(tenant_id, saga_id);
    try {
      await this.answers.end(watch, tenant_id, saga_id, wait_ms);
    } finally {
      watch.close();
    }
  }
}
