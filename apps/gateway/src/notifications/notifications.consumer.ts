import { type EventBatch, type LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { NotificationReader } from './notification-reader.js';

/** Passes policy decisions and records of sagas to the notification reader. Commits offsets once their notifications are settled. */
@Controller()
export class NotificationsConsumer {
  constructor(private readonly reader: NotificationReader) {}

  @OnTopic('policy-decided', { commit: 'manual' })
  decided(batch: EventBatch, context: LogContext): Promise<void> {
    return this.reader.read(batch, context);
  }

  @OnTopic('approval-granted', { commit: 'manual' })
  answered(batch: EventBatch, context: LogContext): Promise<void> {
    return this.reader.read(batch, context);
  }

  @OnTopic('operator-command', { commit: 'manual' })
  commanded(batch: EventBatch, context: LogContext): Promise<void> {
    return this.reader.read(batch, context);
  }

  @OnTopic('compensation', { commit: 'manual' })
  compensated(batch: EventBatch, context: LogContext): Promise<void> {
    return this.reader.read(batch, context);
  }
}
