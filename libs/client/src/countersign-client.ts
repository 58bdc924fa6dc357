import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEnvelope, CallOptions, CallRequest, Problem } from './wire.js';

export interface ClientOptions {
  /** For example http://127.0.0.1:7070 */
  url: string;
  /** An API key (or JWT); names tenant, principal and roles. */
  key: string;
  /** How long a `call` goes on sending and waiting before it answers with what it has. Default 60 s. */
  patience_ms?: number;
  fetch?: typeof fetch;
  /** Makes the request id of a `call`. Default: a random UUID. */
  newRequestId?: () => string;
}

/** What a call came to: its envelope, or the problem that kept it from being admitted. */
export type CallResult =
  | { kind: 'answered'; envelope: CallEnvelope }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'unreachable'; cause: unknown };

const TRANSIENT = new Set([429, 502, 503, 504]);
const ANSWERS: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'in_doubt',
  'compensated',
  'compensation_failed',
]);

/**
 * What an agent imports. Each `call` is one request with an id of its own, which it keeps when it is sent again after a lost
 * connection: the gateway answers it as it ended. The key of the effect is derived from the inputs and is not the request's:
 * a new `call` with the inputs of an earlier one has no second effect while the first one stands.
 */
export class CountersignClient {
  private readonly fetch: typeof fetch;
  private readonly newRequestId: () => string;

  constructor(private readonly options: ClientOptions) {
    this.fetch = options.fetch ?? fetch;
    this.newRequestId = options.newRequestId ?? randomUUID;
  }

  /** Sends a call until it is answered or refused, or patience ends. A call that waits for a person is answered as it is: see `ended`. */
  async call(request: CallRequest, options: CallOptions = {}): Promise<CallResult> {
    const request_id = options.request_id ?? request.context?.request_id ?? this.newRequestId();
    const body: CallRequest = { ...request, context: { ...request.context, request_id } };
    const headers: Record<string, string> = options.idempotency_key === undefined ? {} : { 'idempotency-key': options.idempotency_key };
    const end = performance.now() + (this.options.patience_ms ?? 60_000);
    for (let pause_ms = 100; ; pause_ms = Math.min(pause_ms * 2, 5000)) {
      const result = await this.once('POST', '/v1/calls', { body, headers });
      if (result.kind === 'answered' && (ANSWERS.has(result.envelope.status) || result.envelope.status === 'pending_approval'))
        return result;
      if (result.kind === 'answered') return this.ended(result.envelope.call_id, end - performance.now());
      if (result.kind === 'refused' && !TRANSIENT.has(result.problem.status)) return result;
      if (performance.now() + pause_ms > end) return result;
      await sleep(result.kind === 'refused' && result.problem.retry_after_s ? result.problem.retry_after_s * 1000 : pause_ms);
    }
  }

  /** Waits until a call has ended (approval included), at most this long; then its envelope as it is. */
  async ended(call_id: string, patience_ms: number): Promise<CallResult> {
    const end = performance.now() + patience_ms;
    for (let pause_ms = 50; ; pause_ms = Math.min(pause_ms * 2, 2000)) {
      const result = await this.once('GET', `/v1/calls/${encodeURIComponent(call_id)}`);
      if (result.kind === 'answered' && ANSWERS.has(result.envelope.status)) return result;
      if (result.kind === 'refused' && !TRANSIENT.has(result.problem.status)) return result;
      if (performance.now() + pause_ms > end) return result;
      await sleep(pause_ms);
    }
  }

  async cancel(call_id: string, reason: string): Promise<CallResult> {
    return this.once('POST', `/v1/calls/${encodeURIComponent(call_id)}/cancel`, { body: { reason } });
  }

  private async once(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<CallResult> {
    try {
      const response = await this.fetch(new URL(path, this.options.url), {
        method,
        headers: {
          authorization: `Bearer ${this.options.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as unknown;
      if (response.ok) return { kind: 'answered', envelope: answer as CallEnvelope };
      const retry_after_s = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        kind: 'refused',
        problem: { ...(answer as Problem), status: response.status, ...(Number.isNaN(retry_after_s) ? {} : { retry_after_s }) },
      };
    } catch (cause) {
      return { kind: 'unreachable', cause };
    }
  }
}
