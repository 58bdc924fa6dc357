import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundDoor } from '@countersign/outbound';
import { isJSONRPCRequest, isJSONRPCResponse, type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { doorFetch } from './door-fetch.js';
import { exchanges } from './exchange.js';
import { TokenBucket } from './token-bucket.js';

/** A server chooses when its stream is opened again: never sooner, never later. */
const RECONNECT_MIN_MS = 1_000;
const RECONNECT_MAX_MS = 30_000;
/** Reconnects of one session. A server that ends every stream at once gets no more. */
const RECONNECTS_MAX = 30;
/** Answers to requests of the server: each is a connection of its own. */
const ANSWERS_MAX = 20;
const ANSWERS_PER_S = 2;
const GOODBYE_MS = 1_000;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** Opens streams again within bounds. */
class Reconnects {
  private readonly timers = new Set<NodeJS.Timeout>();
  private left = RECONNECTS_MAX;

  schedule(reconnect: () => void, delay_ms: number): () => void {
    if (this.left-- <= 0) return () => undefined;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        reconnect();
      },
      Math.min(Math.max(delay_ms, RECONNECT_MIN_MS), RECONNECT_MAX_MS),
    ).unref();
    this.timers.add(timer);
    return () => clearTimeout(timer);
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.left = 0;
  }
}

/** Streamable HTTP through the outbound door, with bounds that the library does not have. */
export class UpstreamHttpTransport extends StreamableHTTPClientTransport {
  private readonly answers = new TokenBucket(ANSWERS_MAX, ANSWERS_PER_S);
  private readonly reconnects: Reconnects;

  constructor(url: string, door: OutboundDoor, bearer: string | undefined) {
    const reconnects = new Reconnects();
    super(new URL(url), {
      fetch: doorFetch(door, bearer),
      requestInit: { redirect: 'manual' },
      onInsufficientScope: 'throw',
      reconnectionScheduler: (reconnect, delay_ms) => reconnects.schedule(reconnect, delay_ms),
      reconnectionOptions: {
        initialReconnectionDelay: RECONNECT_MIN_MS,
        maxReconnectionDelay: RECONNECT_MAX_MS,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 3,
      },
    });
    this.reconnects = reconnects;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (!Array.isArray(message) && isJSONRPCResponse(message) && !this.answers.take(1)) return;
    const exchange = exchanges.getStore();
    if (!exchange || Array.isArray(message) || !isJSONRPCRequest(message)) return super.send(message, options);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      exchange.ended();
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  /** Tells the server that its session has ended, if it answers soon. */
  override async close(): Promise<void> {
    this.reconnects.close();
    const told = this.terminateSession().catch(() => undefined);
    await Promise.race([told, sleep(GOODBYE_MS, undefined, { ref: false })]);
    await super.close();
  }
}
