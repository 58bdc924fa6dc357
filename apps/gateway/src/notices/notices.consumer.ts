import { type EventBatch, type LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { Notices } from './notices.js';

/** Hands what policy said to those who tell people of it. Offsets follow what was told. */
@Controller()
export class NoticesConsumer {
  constructor(private readonly notices: Notices) {}

  @OnTopic('policy-decided', { commit: 'manual' })
  decided(batch: EventBatch, context: LogContext): Promise<void> {
    return this.notices.take(batch, context);
  }

  @OnTopic('approval-granted', { commit: 'manual' })
  answered(batch: EventBatch, context: LogContext): Promise<void> {
    return this.notices.take(batch, context);
  }
}
