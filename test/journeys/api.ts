import type { Agent } from 'undici';
import { fetch } from 'undici';

/** The fields of the envelope that the journeys check. */
export interface Envelope {
  call_id: string;
  idempotency_key: string;
  attempts: number;
  name: string;
  version: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; class: string; message: string; details?: unknown; retryable: boolean } | null;
  decision: {
    decision_id: string;
    effect: string;
    tier: string;
    rule: string;
    bundle_version: string;
    approval_mode_effective: string;
    revision: number;
  } | null;
  approval: { approval_id: string; status: string } | null;
  deduplicated: boolean;
  deduplicated_because: string | null;
  original_call_id: string | null;
  effect_now: string | null;
  superseded_by: string | null;
  case_id: string | null;
  trace_id: string;
  tenant_id: string;
  duration_ms: number | null;
  retry_count: number;
  cached: boolean;
  truncated: boolean;
  attachments: { kind: string; url: string; content_type: string; bytes: number }[];
  warnings: string[];
  provenance: { source: string; freshness: string; confidence: number | null } | null;
  cost: number | null;
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface CallBody {
  tool: string;
  inputs: Record<string, unknown>;
  version?: string;
  case_id?: string;
  occurrence?: string;
  context?: Record<string, unknown>;
  deadline?: string;
  callback_url?: string;
}

/** A caller of the HTTP API under one key. */
/**
 * Changes respond once every instance has them, and reads once the views have caught up, even on a busy machine; calls wait this long by
 * default.
 */
const PATIENCE = { prefer: 'wait=30' };

export class Api {
  constructor(
    readonly base: string,
    readonly key: string,
    private readonly dispatcher?: Agent,
  ) {}

  as(key: string): Api {
    return new Api(this.base, key, this.dispatcher);
  }

  async request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...PATIENCE,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(this.dispatcher ? { dispatcher: this.dispatcher } : {}),
    });
    const text = await response.text();
    const json = /\/(problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers as unknown as Headers, body: (json ? JSON.parse(text) : text) as T };
  }

  call(body: CallBody, headers: Record<string, string> = {}): Promise<Answer<Envelope>> {
    return this.request<Envelope>('POST', '/v1/calls', body, headers);
  }

  readCall(call_id: string): Promise<Answer<Envelope>> {
    return this.request<Envelope>('GET', `/v1/calls/${call_id}`);
  }

  /** A key for a new principal of this tenant (the installation's admin can name another tenant). */
  async keyFor(
    kind: 'agent' | 'user' | 'service',
    id: string,
    roles: string[],
    tenant_id = 'default',
    clearances: string[] = [],
  ): Promise<Api> {
    const { status, body } = await this.request<{ key: string }>('POST', '/v1/keys', {
      tenant_id,
      principal: { kind, id, roles },
      clearances,
    });
    if (status >= 300) throw new Error(`POST /v1/keys answered ${status}: ${JSON.stringify(body)}`);
    return this.as(body.key);
  }

  /** Polls a call until the check holds. */
  async callUntil(call_id: string, check: (envelope: Envelope) => boolean, timeout_ms = 60_000): Promise<Envelope> {
    const end = performance.now() + timeout_ms;
    for (;;) {
      const { status, body } = await this.readCall(call_id);
      if (status === 200 && check(body)) return body;
      if (performance.now() > end)
        throw new Error(`call ${call_id} did not get there within ${timeout_ms} ms: ${status} ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
