import { BaseRpcContext } from '@nestjs/microservices';

/** Marks handlers of this transport, so that a hybrid app binds them to no other transport. */
export const LOG_TRANSPORT = Symbol('countersign.log-transport');

/** What a handler can report about the current batch. */
export class LogContext extends BaseRpcContext<[topic: string, partition: number]> {
  private fault: { error: unknown } | undefined;

  constructor(
    topic: string,
    partition: number,
    private readonly commitBelow: (offset: number) => void,
  ) {
    super([topic, partition]);
  }

  /** Everything of this partition of this topic below the offset is done (lazy, see RunningSubscription.commit). */
  commit(offset: number): void {
    this.commitBelow(offset);
  }

  fail(error: unknown): void {
    this.fault = { error };
  }

  /** Throws the handler's exception. */
  rethrow(): void {
    if (this.fault) throw this.fault.error;
  }
}
