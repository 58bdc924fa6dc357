import { Redis, type RedisOptions } from 'ioredis';
import { RedisFaults } from './redis-faults.js';
import { WakeUps } from './wake-ups.js';

export interface RedisWakeUpsOptions {
  /** redis://host:port */
  url: string;
  /** Prefix of each channel's name, for a shared Redis. */
  prefix?: string;
  /** Called for each lost connection or publish; polling continues without wake-ups. */
  on_fault?: (error: Error) => void;
}

const RECONNECT_MAX_MS = 2_000;

/** Publish and subscribe over Redis. While it is unavailable payloads are dropped, and the client reconnects without limit. */
export class RedisWakeUps extends WakeUps {
  override readonly is_ahead_of_log = true;
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #connections: readonly RedisFaults[];
  readonly #handlers = new Map<string, ((payload: Buffer) => void)[]>();
  #faults = 0;

  constructor(private readonly options: RedisWakeUpsOptions) {
    super();
    const common: RedisOptions = {
      retryStrategy: (times) => Math.min(50 * times, RECONNECT_MAX_MS),
      maxRetriesPerRequest: null,
      disconnectTimeout: 100,
    };
    // The publisher fails while Redis is unavailable, so that hints do not pile up; the subscriber waits and subscribes again.
    this.#publisher = new Redis(options.url, { ...common, enableOfflineQueue: false, autoResendUnfulfilledCommands: false });
    this.#subscriber = new Redis(options.url, { ...common, autoResubscribe: true });
    this.#connections = [this.#publisher, this.#subscriber].map((client) => new RedisFaults(client, (error) => this.#fault(error)));
    this.#subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) => this.#receive(channel.toString(), message));
  }

  /** Connections and publishes that failed since the start. */
  get faults(): number {
    return this.#faults;
  }

  /** Publishes all payloads in one message, each with a length prefix. */
  publish(channel: string, payload: readonly Buffer[]): void {
    if (payload.length === 0 || this.#publisher.status !== 'ready') return;
    this.#publisher.publish(this.#name(channel), join(payload)).catch((error: Error) => this.#fault(error));
  }

  async subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void> {
    const name = this.#name(channel);
    const handlers = this.#handlers.get(name);
    if (handlers) {
      handlers.push(handler);
      return;
    }
    this.#handlers.set(name, [handler]);
    // Resolves when Redis is available; hints are optional, so the promise is not awaited.
    this.#subscriber.subscribe(name).catch((error: Error) => this.#fault(error));
  }

  async close(): Promise<void> {
    this.#handlers.clear();
    for (const connection of this.#connections) connection.end();
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  #name(channel: string): string {
    return `${this.options.prefix ?? ''}wake-up:${channel}`;
  }

  #receive(name: string, message: Buffer): void {
    const handlers = this.#handlers.get(name) ?? [];
    for (const payload of split(message)) for (const handler of handlers) handler(payload);
  }

  #fault(error: Error): void {
    this.#faults++;
    this.options.on_fault?.(error);
  }
}

function join(payloads: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  for (const payload of payloads) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(payload.length);
    parts.push(length, payload);
  }
  return Buffer.concat(parts);
}

/** Payloads up to the first incomplete one: messages of other publishers on the channel must not cause a failure. */
function* split(message: Buffer): Generator<Buffer> {
  for (let at = 0; at + 4 <= message.length; ) {
    const end = at + 4 + message.readUInt32BE(at);
    if (end > message.length) return;
    yield message.subarray(at + 4, end);
    at = end;
  }
}
