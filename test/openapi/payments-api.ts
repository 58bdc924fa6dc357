import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  /** What the document says besides. */
  extra = '';
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
    return `openapi: 3.1.0
info: {title: Payments, version: '1'}
servers: [{url: '${this.base}/{version}', variables: {version: {default: v1}}}]
security: [{token: []}]
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
  schemas:
    Payment:
      type: object
      required: [id, amount, reference]
      properties:
        id: {type: string}
        amount: {type: number}
        reference: {type: string}
        metadata: {type: object, additionalProperties: {type: string}}
        refunded: {type: boolean}
        key: {type: [string, 'null']}
paths:
  /payments:
    get:
      operationId: listPayments
      summary: List payments
      parameters:
        - {name: reference, in: query, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: starting_after, in: query, schema: {type: string}}
      responses:
        '200':
          description: a page
          content:
            application/json:
              schema:
                type: object
                required: [data, has_more]
                properties:
                  data: {type: array, items: {$ref: '#/components/schemas/Payment'}}
                  has_more: {type: boolean}
    post:
      operationId: createPayment
      summary: Pay an amount
      parameters:
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [amount, reference]
              properties:
                amount: {type: number}
                reference: {type: string}
                metadata: {type: object, additionalProperties: {type: string}}
            encoding:
              metadata: {style: deepObject, explode: true}
      responses:
        '200': {description: paid, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /payments/{id}:
    get:
      operationId: getPayment
      summary: Read a payment
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: it, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /payments/{id}/refund:
    post:
      operationId: refundPayment
      summary: Refund a payment
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: refunded, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /echo:
    get:
      operationId: echo
      summary: Show the credential that came
      responses:
        '200': {description: it, content: {application/json: {schema: {type: object, properties: {authorization: {type: string}}}}}}
${this.extra}`;
  }
}
