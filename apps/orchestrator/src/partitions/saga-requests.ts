import { isInfrastructureFault, sagaKey } from '@countersign/contracts';
import { isTicketAct } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import type { StartOrders } from '../definitions/start-orders.js';
import type { SagaOrder, SagaWork, WorkCause } from '../sagas/saga-work.js';
import type { EndedSagas } from './ended-sagas.js';
import type { LateTickets } from './late-tickets.js';
import type { SagaPartition } from './saga-partition.js';

export type SagaRequest = Recorded<'saga_requested' | 'saga_control_requested' | 'saga_answer_requested'>;

const EXISTS = 'a saga with this id existed: read it, or use another id';

/** Turns requests into commands of their sagas. */
export class SagaRequests {
  constructor(
    private readonly starts: StartOrders,
    private readonly ended: EndedSagas,
    private readonly late: LateTickets,
  ) {}

  /** @throws InfrastructureFault if it is not known yet whether the saga existed */
  async workOf(partition: SagaPartition, request: SagaRequest): Promise<SagaWork> {
    const { meta, saga_id } = request.event;
    return { tenant_id: meta.tenant_id, saga_id, order: await this.orderOf(partition, request), cause: causeOf(request) };
  }

  private async orderOf(partition: SagaPartition, request: SagaRequest): Promise<SagaOrder | string> {
    const source = { topic: request.topic, offset: request.offset };
    if (request.event_type === 'saga_requested')
      return (await this.existed(partition, request.event)) ? EXISTS : this.start(request, source);
    const { by, reason, step_id, meta } = request.event;
    const who = { by, reason, source, command_id: meta.event_id };
    if (request.event_type === 'saga_control_requested') {
      await this.takeUp(partition, request.event);
      return { kind: 'control', act: request.event.act, step_id, ...who };
    }
    const { is_refused, answer_json } = request.event;
    return { kind: 'wait_answered', step_id: step_id as string, is_refused, answer_json, ...who };
  }

  /** A ticket may be open although its saga ended: the partition takes the saga up again to decide about it. */
  private async takeUp(
    partition: SagaPartition,
    { meta: { tenant_id }, saga_id, act, step_id }: Extract<SagaRequest, { event_type: 'saga_control_requested' }>['event'],
  ): Promise<void> {
    if (step_id === null || !isTicketAct(act) || partition.has({ tenant_id, saga_id })) return;
    const ended = await this.late.sagaOf(partition.lane, { tenant_id, saga_id, step_id });
    if (ended) partition.reopen(ended);
  }

  /** A definition that cannot be read refuses this request; it does not stop the partition. */
  private start(
    { event }: Extract<SagaRequest, { event_type: 'saga_requested' }>,
    source: { topic: string; offset: number },
  ): SagaOrder | string {
    try {
      return this.starts.of(event, source);
    } catch (cause) {
      if (isInfrastructureFault(cause)) throw cause;
      return 'the definition of the request cannot be read';
    }
  }

  /** A saga that ended while this process owned the partition is known to the partition. */
  private async existed(
    partition: SagaPartition,
    request: Extract<SagaRequest, { event_type: 'saga_requested' }>['event'],
  ): Promise<boolean> {
    const { meta, saga_id, is_repeatable } = request;
    const key = sagaKey(meta.tenant_id, saga_id);
    if (partition.sagas.has(key)) return false;
    return is_repeatable && this.ended.has(partition, meta.tenant_id, saga_id);
  }
}

function causeOf({ event: { meta }, topic, offset, leaf_hash }: SagaRequest): WorkCause {
  const { event_id, correlation_id, hlc } = meta;
  return { event_id, correlation_id, hlc, topic, offset, leaf_hash };
}
