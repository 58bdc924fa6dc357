import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { errorResponse, isModern, lostSession } from './bridge-messages.js';
import { type CancelledCall, OpenRequests } from './open-requests.js';

export interface GatewayAccess {
  /** Base URL of the gateway. */
  url: string;
  key: string;
  /** Headers of every request: case, run, tools. */
  headers: Readonly<Record<string, string>>;
}

/** Id of the handshake that the bridge repeats for its client. */
const REPEATED_HANDSHAKE = 'countersign-stdio-handshake';

/**
 * Passes the messages of one stdio client to `/mcp` of a gateway and back. It decides nothing. It adds what stdio has and HTTP has not: a
 * cancellation, which stops a call before it fires, and a session that outlives a restart of the gateway.
 */
export class StdioBridge {
  private readonly http: StreamableHTTPClientTransport;
  private readonly open = new OpenRequests((call) => void this.cancel(call));
  private handshake: JSONRPCRequest | undefined;
  private repeating: { done(): void } | undefined;

  constructor(
    private readonly stdio: Transport,
    private readonly access: GatewayAccess,
    private readonly report: (line: string) => void,
  ) {
    const requestInit = { headers: { ...access.headers, authorization: `Bearer ${access.key}` } };
    this.http = new StreamableHTTPClientTransport(new URL('/mcp', access.url), { requestInit });
  }

  /** Resolves when the client has left. Its writes go on. */
  async run(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.stdio.onclose = resolve;
    });
    this.stdio.onmessage = (message) => void this.fromClient(message as JSONRPCMessage);
    this.stdio.onerror = (error) => this.report(`stdio: ${error.message}`);
    this.http.onmessage = (message) => void this.fromGateway(message as JSONRPCMessage);
    await this.http.start();
    await this.stdio.start();
    await left;
    await this.http.close();
  }

  private async fromClient(message: JSONRPCMessage): Promise<void> {
    if (isInitializeRequest(message)) this.handshake = message as JSONRPCRequest;
    if (isJSONRPCRequest(message)) return this.request(message);
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId, reason } = (message.params ?? {}) as { requestId?: string | number; reason?: string };
      if (requestId !== undefined) this.open.cancelled(requestId, reason);
      return;
    }
    await this.http.send(message).catch((cause: Error) => this.report(`${this.access.url}: ${cause.message}`));
  }

  private async request(given: JSONRPCRequest): Promise<void> {
    const { message, signal } = this.open.add(given);
    try {
      await this.post(message, signal);
    } catch (cause) {
      if (this.open.answered(given.id)) await this.stdio.send(errorResponse(given, cause as Error));
    }
  }

  private async post(message: JSONRPCRequest, requestSignal: AbortSignal): Promise<void> {
    const onRequestStreamEnd = () => void this.streamEnded(message);
    try {
      await this.http.send(message, { requestSignal, onRequestStreamEnd });
    } catch (cause) {
      if (!(cause instanceof SdkHttpError) || isModern(message) || !this.handshake || !lostSession(cause)) throw cause;
      await this.repeatHandshake();
      await this.http.send(message, { requestSignal, onRequestStreamEnd });
    }
  }

  /** The gateway has forgotten the session, or is another one: the bridge starts a new one for its client. */
  private async repeatHandshake(): Promise<void> {
    const answered = new Promise<void>((done) => {
      this.repeating = { done };
    });
    await this.http.send({ ...(this.handshake as JSONRPCRequest), id: REPEATED_HANDSHAKE });
    await answered;
    await this.http.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  private async fromGateway(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && message.id === REPEATED_HANDSHAKE) return this.repeating?.done();
    if (isJSONRPCResultResponse(message) && message.id === this.handshake?.id && 'protocolVersion' in message.result)
      this.http.setProtocolVersion(String(message.result.protocolVersion));
    if (this.open.received(message)) await this.stdio.send(message);
  }

  /** A stream that ends without an answer: the gateway stopped, or the connection broke. */
  private async streamEnded(message: JSONRPCRequest): Promise<void> {
    if (!this.open.answered(message.id)) return;
    await this.stdio.send(
      errorResponse(message, new Error('the connection to the gateway broke; the call may go on: send it again to join it')),
    );
  }

  private async cancel({ call_id, reason }: CancelledCall): Promise<void> {
    const body = JSON.stringify({ reason: reason ?? 'the client cancelled its request', only_before_fire: true });
    const headers = { authorization: `Bearer ${this.access.key}`, 'content-type': 'application/json' };
    const url = new URL(`/v1/calls/${encodeURIComponent(call_id)}/cancel`, this.access.url);
    await fetch(url, { method: 'POST', headers, body }).catch((cause: Error) =>
      this.report(`the call ${call_id} was not cancelled: ${cause.message}`),
    );
  }
}
