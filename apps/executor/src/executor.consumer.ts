import { type EventBatch, type LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { Executor } from './executor.js';

/** Passes authorized calls to the lane that executes them. */
@Controller()
export class ExecutorConsumer {
  constructor(private readonly executor: Executor) {}

  @OnTopic('policy-decided', { commit: 'manual' })
  rulings(batch: EventBatch, context: LogContext): Promise<void> {
    return this.executor.handleBatch(batch, context);
  }

  @OnTopic('approval-granted', { commit: 'manual' })
  approvals(batch: EventBatch, context: LogContext): Promise<void> {
    return this.executor.handleBatch(batch, context);
  }
}
