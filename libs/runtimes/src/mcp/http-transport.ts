import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundDoor } from '@countersign/outbound';
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
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

/** Opens streams again within bounds. */
class Reconnects {
  private readonly timers = new Set<NodeJS.Timeout>();
  private left = RECONNECTS_MAX;

  schedule(reconnect: () => void, delay_ms: number): () => void {
    if (exchanges.getStore()?.is_settled || this.left-- <= 0) return () => undefined;
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

/** Streamable HTTP of the library through the outbound door, with bounds that the library does not have. */
export class UpstreamHttpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  private readonly http: StreamableHTTPClientTransport;
  private readonly answers = new TokenBucket(ANSWERS_MAX, ANSWERS_PER_S);
  private readonly reconnects = new Reconnects();
  /** Requests without an answer. */
  private readonly asked = new Set<string | number>();

  constructor(url: string, door: OutboundDoor, bearer: string | undefined) {
    this.http = new StreamableHTTPClientTransport(new URL(url), {
      fetch: doorFetch(door, bearer),
      requestInit: { redirect: 'manual' },
      onInsufficientScope: 'throw',
      reconnectionScheduler: (reconnect, delay_ms) => this.reconnects.schedule(reconnect, delay_ms),
      reconnectionOptions: {
        initialReconnectionDelay: RECONNECT_MIN_MS,
        maxReconnectionDelay: RECONNECT_MAX_MS,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 3,
      },
    });
  }

  get sessionId(): string | undefined {
    return this.http.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.http.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    this.http.onclose = () => this.onclose?.();
    this.http.onerror = (error) => this.onerror?.(error);
    this.http.onmessage = (message) => {
      if (isJSONRPCResponse(message) && message.id !== undefined) this.asked.delete(message.id);
      this.onmessage?.(message);
    };
    await this.http.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isJSONRPCResponse(message) && !this.answers.take(1)) return;
    const exchange = exchanges.getStore();
    // Notifications, and the stream that follows the first one, outlive the request on whose behalf they are sent.
    if (!exchange || !isJSONRPCRequest(message)) return exchanges.exit(() => this.http.send(message, options));
    const { id } = message;
    this.asked.add(id);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (this.asked.delete(id)) exchange.ended('the server closed its response without an answer');
    };
    await this.http.send(message, { ...options, onRequestStreamEnd });
  }

  /** Tells the server that its session has ended, if it answers soon. */
  async close(): Promise<void> {
    this.reconnects.close();
    const told = this.http.terminateSession().catch(() => undefined);
    await Promise.race([told, sleep(GOODBYE_MS, undefined, { ref: false })]);
    await this.http.close();
  }
}
