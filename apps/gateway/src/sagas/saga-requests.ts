import type { RecordWriter } from '@countersign/calls';
import { type EventCodec, type EventMap, firstMeta, laneTopic, sagaKey, sagaPartition, type TopicEvents } from '@countersign/contracts';
import type { Tenant } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { Clock } from '@countersign/process';

export type SagaRequestType = TopicEvents['saga-requested']['event_type'];

/** Records requests about sagas. The orchestrator decides on them and answers on `compensation`. */
export class SagaRequests {
  constructor(
    private readonly writer: RecordWriter,
    private readonly log: Pick<EventLog, 'partitions'>,
    private readonly codec: EventCodec,
    readonly clock: Clock,
  ) {}

  /** @returns the event_id, the command_id of the answer. @throws InfrastructureFault if the log is unavailable. */
  async record<T extends SagaRequestType>(
    { tenant_id, lane }: Pick<Tenant, 'tenant_id' | 'lane'>,
    type: T,
    fields: Omit<EventMap[T], 'meta' | 'requested_at_ms'>,
  ): Promise<string> {
    const now_ms = this.clock.now_ms();
    const topic = laneTopic('saga-requested', lane);
    const { saga_id } = fields as { saga_id: string };
    const partition = sagaPartition(tenant_id, saga_id, this.log.partitions(topic));
    const meta = { ...firstMeta(tenant_id, now_ms), partition };
    const value = this.codec.encode(type, { meta, ...fields, requested_at_ms: now_ms } as unknown as EventMap[T]);
    await this.writer.write({ topic, partition, key: sagaKey(tenant_id, saga_id), value, headers: { event_type: type } });
    return meta.event_id;
  }
}
