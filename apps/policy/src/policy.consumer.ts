import { type EventBatch, LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { RulingPartitions } from './partitions/ruling-partitions.js';

/** The inputs of the policy service. Handles one batch of a topic partition at a time; the three topics of a partition share its state. */
@Controller()
export class PolicyConsumer {
  constructor(private readonly partitions: RulingPartitions) {}

  @OnTopic('tool-call-requested')
  onRequests(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.partitions.handle(batch);
  }

  @OnTopic('approval-voted')
  onVotes(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.partitions.handle(batch);
  }

  @OnTopic('tool-executed')
  onEnds(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.partitions.handle(batch);
  }
}
