import { WakeUps } from './wake-ups.js';

/** All services in one process: a payload is delivered within the same turn of the event loop. */
export class InProcessWakeUps extends WakeUps {
  readonly #handlers = new Map<string, ((payload: Buffer) => void)[]>();

  publish(channel: string, payload: readonly Buffer[]): void {
    const handlers = this.#handlers.get(channel);
    if (!handlers || payload.length === 0) return;
    queueMicrotask(() => {
      for (const handler of handlers) for (const one of payload) handler(one);
    });
  }

  async subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void> {
    this.#handlers.set(channel, [...(this.#handlers.get(channel) ?? []), handler]);
  }

  async close(): Promise<void> {
    this.#handlers.clear();
  }
}
