import type { CallState, PlacedEvent } from '@countersign/domain';
import type { Timed, TimerWheel } from './timer-wheel.js';
import type { CallListener, WatchedCalls } from './watched-calls.js';

/** Returns the result once the facts determine it, else undefined. */
export type CallCheck<T> = (state: CallState, at: PlacedEvent | undefined) => T | undefined;

/** Waits until one call meets a condition. Create it before the action that leads to the condition, and always `close` it. */
export class CallWatch<T> implements CallListener, Timed {
  readonly result: Promise<T | undefined>;
  private settle!: (found: T | undefined) => void;
  slot: number | null = null;

  constructor(
    private readonly parts: { watchedCalls: WatchedCalls; wheel: TimerWheel },
    private readonly known: CallState,
    private readonly check: CallCheck<T>,
  ) {
    this.result = new Promise((settle) => {
      this.settle = settle;
    });
    parts.watchedCalls.watch(known.call_id, known.tenant_id, this);
    parts.watchedCalls.learn(known);
  }

  changed(state: CallState, at: PlacedEvent | undefined): void {
    const found = this.check(state, at);
    if (found !== undefined) this.settle(found);
  }

  due(): void {
    this.settle(undefined);
  }

  /** The result, or undefined after the timeout (at most 100 s). */
  async within(timeout_ms: number): Promise<T | undefined> {
    this.parts.wheel.add(this, timeout_ms);
    try {
      return await this.result;
    } finally {
      this.close();
    }
  }

  close(): void {
    this.parts.wheel.remove(this);
    this.parts.watchedCalls.unwatch(this.known.call_id, this);
  }
}
