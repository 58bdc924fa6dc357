import { type EventBatch, LogContext, OnTopic } from '@countersign/event-log';
import { Controller } from '@nestjs/common';
import { ViewFolder } from './folding/view-folder.js';

/** Passes every topic of the views to the folder. Resolves when the events are folded; rows follow with their offsets. */
@Controller()
export class ViewsConsumer {
  constructor(private readonly folder: ViewFolder) {}

  @OnTopic('tool-call-requested')
  requested(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('policy-decided')
  decided(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('approval-voted')
  voted(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('approval-granted')
  approvalEnded(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('tool-executed')
  executed(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('compensation')
  compensated(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('saga-requested')
  sagaRequested(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('security-event')
  secured(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('tool-registered')
  registered(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('operator-command')
  commanded(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }

  @OnTopic('configuration-changed')
  configured(batch: EventBatch, _ctx: LogContext): Promise<void> {
    return this.folder.fold(batch);
  }
}
