import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAYMENTS_DOCUMENT } from './payments-document.js';

/** A payment as the server keeps it. */
export interface Payment {
  id: string;
  amount: number;
  reference: string;
  metadata: Record<string, string>;
  refunded: boolean;
  key: string | null;
}

const TOKEN = 'pay-secret-0123456789abcdef';

/** An answer, or what the client gets instead of it. */
type Answered = { status: number; body?: unknown; text?: string; headers?: Record<string, string> } | 'lose' | 'stall';

/** A small server of payments, whose effects are counted. `reference` tells it how to misbehave: `lose-…`, `slow-…`, `down-…`, `busy-…`. */
export class PaymentsApi {
  readonly token = TOKEN;
  readonly payments: Payment[] = [];
  /** The requests as they came, `POST /v1/payments`. */
  readonly requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  /** Whether equal keys cause one effect. */
  honours_keys = false;
  private readonly misbehaved = new Set<string>();
  private readonly server: Server = createServer((request, response) => void this.receive(request, response));

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
  }

  get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += part;
    this.requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    const answer = this.answerTo(request, body);
    if (answer === 'lose') request.socket.destroy();
    else if (answer !== 'stall')
      response
        .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
        .end(answer.text ?? JSON.stringify(answer.body));
  }

  private answerTo(request: IncomingMessage, body: string): Answered {
    const { pathname, searchParams } = new URL(request.url as string, this.base);
    if (pathname === '/openapi.yaml') return { status: 200, text: this.document(), headers: { 'content-type': 'application/yaml' } };
    const { authorization } = request.headers;
    if (authorization !== `Bearer ${TOKEN}`) return { status: 401, body: { error: `no: ${authorization}` } };
    if (pathname === '/v1/echo') return { status: 200, body: { authorization } };
    if (pathname === '/v1/payments') return request.method === 'POST' ? this.pay(request, body) : this.list(searchParams);
    const [, id, act] = /^\/v1\/payments\/([^/]+)(\/refund)?$/.exec(pathname) ?? [];
    const payment = this.payments.find((one) => one.id === decodeURIComponent(id ?? ''));
    if (!payment) return { status: 404, body: { error: 'no such payment' } };
    if (act !== undefined) payment.refunded = true;
    return { status: 200, body: payment };
  }

  private list(query: URLSearchParams): Answered {
    const limit = Number(query.get('limit') ?? 2);
    const found = this.payments.filter((one) => !query.has('reference') || one.reference === query.get('reference'));
    const start = query.has('starting_after') ? found.findIndex((one) => one.id === query.get('starting_after')) + 1 : 0;
    return { status: 200, body: { data: found.slice(start, start + limit), has_more: found.length > start + limit } };
  }

  private pay({ headers }: IncomingMessage, body: string): Answered {
    const form = new URLSearchParams(body);
    const key = (headers['idempotency-key'] as string | undefined) ?? null;
    const reference = form.get('reference') ?? '';
    const how = this.misbehaved.has(reference) ? '' : reference.replace(/-.*$/, '');
    this.misbehaved.add(reference);
    if (how === 'busy') return { status: 429, body: { error: 'later' }, headers: { 'retry-after': '1' } };
    if (how === 'refused') return { status: 400, body: { error: `bad request with ${headers.authorization}` } };
    const known = this.honours_keys ? this.payments.find((one) => one.key === key) : undefined;
    const fields = [...form].map(([name, value]) => [/^metadata\[(.*)\]$/.exec(name)?.[1], value] as const);
    const metadata = Object.fromEntries(fields.filter(([name]) => name !== undefined));
    const id = `pay_${this.payments.length + 1}`;
    const payment = known ?? { id, amount: Number(form.get('amount')), reference, metadata, refunded: false, key };
    if (!known) this.payments.push(payment);
    if (how === 'lose') return 'lose';
    if (how === 'slow') return 'stall';
    return how === 'down' ? { status: 503, body: { error: 'down' } } : { status: 200, body: payment };
  }

  /** The document of this server: OpenAPI 3.1 in YAML. */
  document(): string {
    return PAYMENTS_DOCUMENT.replace('BASE', this.base);
  }
}
