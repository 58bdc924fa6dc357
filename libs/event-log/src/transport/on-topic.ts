import type { TopicName } from '@countersign/contracts';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { EventBatch } from './event-batch.js';
import { LOG_TRANSPORT, type LogContext } from './log-context.js';

export interface OnTopicOptions {
  /**
   * `after_handler` (default): the batch is done when the handler resolves. `manual`: the handler reports progress through `ctx.commit`.
   */
  commit?: 'after_handler' | 'manual';
}

type BatchHandler = (batch: EventBatch, ctx: LogContext) => Promise<void>;

/**
 * Binds a method `handle(batch: EventBatch, ctx: LogContext): Promise<void>` to a topic of the contract, in every lane that the transport
 * serves. One handler for each topic in an app: Nest would chain two, and a failure of one would repeat both. Nest turns an exception
 * into an observable of a generic error; the wrapper keeps the original on the context, because the reaction depends on it (pause and
 * retry, or bisect and dead-letter).
 */
export function OnTopic(topic: TopicName, options: OnTopicOptions = {}) {
  return (target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<BatchHandler>): void => {
    const handler = descriptor.value as BatchHandler;
    descriptor.value = async function (this: unknown, batch: EventBatch, ctx: LogContext): Promise<void> {
      try {
        await handler.call(this, batch, ctx);
      } catch (error) {
        ctx.fail(error);
      }
    };
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    EventPattern<string>(topic, LOG_TRANSPORT, { commit: options.commit ?? 'after_handler' })(
      target,
      key,
      descriptor as TypedPropertyDescriptor<unknown>,
    );
  };
}
