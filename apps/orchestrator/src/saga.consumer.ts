import { type EventBatch, LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { SagaPartitions } from './partitions/saga-partitions.js';

/** Requests about sagas: one batch of a topic partition at a time. */
@Controller()
export class SagaConsumer {
  constructor(private readonly partitions: SagaPartitions) {}

  @OnTopic('saga-requested')
  onRequests(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.partitions.handle(batch);
  }
}
