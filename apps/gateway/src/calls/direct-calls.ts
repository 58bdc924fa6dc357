import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ParseJson, unreadForm } from '../bounds/json-bodies.js';
import type { OutgoingReply } from '../http/reply.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../http/request-id.js';

/** Handler of the direct path; the router uses the same. */
export interface DirectPosts {
  /** True if the body may be read; otherwise the request was answered. */
  admit(request: DirectRequest, reply: OutgoingReply): boolean;
  submit(request: DirectRequest, reply: OutgoingReply): void | Promise<void>;
  fault(request: DirectRequest, reply: OutgoingReply, cause: unknown): void;
}

const LENGTH = /^[1-9]\d{0,6}$/;

/** A request for handlers, without Fastify. */
class DirectRequest {
  body: unknown;

  constructor(readonly raw: IncomingMessage) {}

  get url(): string {
    return this.raw.url ?? '/';
  }

  get headers(): IncomingMessage['headers'] {
    return this.raw.headers;
  }
}

/** Writes a reply directly to Node's response. */
class DirectReply implements OutgoingReply {
  sent = false;
  private status = 200;
  private readonly fields: Record<string, string | number>;

  constructor(
    readonly raw: ServerResponse,
    request_id: string,
  ) {
    this.fields = { [REQUEST_ID_HEADER]: request_id };
  }

  code(status: number): this {
    this.status = status;
    return this;
  }

  header(name: string, value: string): this {
    this.fields[name] = value;
    return this;
  }

  headers(all: Readonly<Record<string, string>>): this {
    Object.assign(this.fields, all);
    return this;
  }

  send(text = ''): void {
    if (this.sent) return;
    this.sent = true;
    this.fields['content-length'] = Buffer.byteLength(text);
    this.raw.writeHead(this.status, this.fields).end(text);
  }
}

/**
 * `POST /v1/calls` without the router: the one request that arrives thousands of times a second. Accepts only the simplest form (an API
 * key, JSON with its length); every other form and request uses the router.
 */
export class DirectCalls {
  constructor(
    private readonly posts: DirectPosts,
    private readonly parse: ParseJson,
    private readonly body_bytes_max: number,
  ) {}

  takes({ method, url, headers }: IncomingMessage): boolean {
    if (method !== 'POST' || url !== '/v1/calls') return false;
    const type = headers['content-type'];
    if (type !== 'application/json' && type?.startsWith('application/json;') !== true) return false;
    if (unreadForm(headers)) return false;
    const length = headers['content-length'];
    if (length === undefined || !LENGTH.test(length) || Number(length) > this.body_bytes_max) return false;
    // API keys resolve synchronously; other tokens must be verified first.
    return headers.authorization?.startsWith('csk_', 7) === true && headers['transfer-encoding'] === undefined;
  }

  serve(raw: IncomingMessage, response: ServerResponse): void {
    const request = new DirectRequest(raw);
    const reply = new DirectReply(response, requestIdOf(raw));
    if (!this.posts.admit(request, reply)) return;
    const chunks: Buffer[] = [];
    raw.on('data', (chunk: Buffer) => chunks.push(chunk));
    raw.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (!reply.sent) this.submit(request, reply, body);
    });
  }

  private submit(request: DirectRequest, reply: DirectReply, body: Buffer): void {
    this.parse(request.raw, body, (cause, value) => {
      if (cause) return this.posts.fault(request, reply, cause);
      request.body = value;
      void this.posts.submit(request, reply);
    });
  }
}
