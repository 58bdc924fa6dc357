import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunContext, type Tool, type ToolBlob, ToolError } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { httpRequest } from './http-request.js';
import type { HttpResponse } from './http-response.js';
import { httpSend } from './http-send.js';

const hits: IncomingMessage[] = [];
const bodies: string[] = [];
let server: Server;
let canary: Server;
let base: string;
let canaryPort: number;
let canaryHits = 0;

function answer(request: IncomingMessage, response: ServerResponse): void {
  hits.push(request);
  const { pathname, searchParams } = new URL(request.url as string, 'http://x');
  const to = (status: number, location: string) => void response.writeHead(status, { location }).end();
  const type = (value: string) => response.setHeader('content-type', value);
  switch (pathname) {
    case '/json':
      type('application/json; charset=utf-8');
      return void response.end('{"a":[1,{"b":"ü"}]}');
    case '/broken-json':
      type('application/json');
      return void response.end('{"a":');
    case '/text':
      type('text/plain');
      return void response.end('t'.repeat(5000));
    case '/image':
      type('image/png');
      return void response.end(Buffer.from([137, 80, 78, 71]));
    case '/endless': {
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      return void response.on('close', () => clearInterval(timer));
    }
    case '/silent':
      return;
    case '/cut':
      return void request.socket.destroy();
    case '/hop':
      return void to(302, Number(searchParams.get('n')) > 0 ? `/hop?n=${Number(searchParams.get('n')) - 1}` : '/json');
    case '/to':
      return void to(Number(searchParams.get('status') ?? 302), searchParams.get('url') as string);
    case '/busy':
      return void response.writeHead(429, { 'retry-after': '7' }).end();
    case '/down':
      return void response.writeHead(503, { 'retry-after': new Date(Date.now() + 9000).toUTCString() }).end('down');
    case '/missing':
      return void response.writeHead(404, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('nothing here');
    default: {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      return void request.on('end', () => {
        bodies.push(body);
        type('application/json');
        response.writeHead(201).end('{"made":true}');
      });
    }
  }
}

beforeAll(async () => {
  server = createServer(answer).listen(0, '127.0.0.1');
  canary = createServer((_, response) => {
    canaryHits++;
    response.end('SECRET');
  }).listen(0, '::');
  await Promise.all([server, canary].map((one) => new Promise((resolve) => one.once('listening', resolve))));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  canaryPort = (canary.address() as AddressInfo).port;
});
beforeEach(() => {
  hits.length = 0;
  bodies.length = 0;
});
afterAll(() => {
  for (const one of [server, canary]) {
    one.closeAllConnections();
    one.close();
  }
});

const kept: ToolBlob[] = [];
const context = (over: Partial<RunContext> = {}): RunContext =>
  testContext({
    settings: { COUNTERSIGN_HTTP_ALLOW: new URL(base).host },
    attach: async (blob) => {
      kept.push(blob);
      return { kind: blob.kind, content_type: blob.content_type, bytes: blob.data.length, url: '/v1/blobs/x' };
    },
    ...over,
  });
const run = (tool: Tool, input: Record<string, unknown>, over: Partial<RunContext> = {}) =>
  tool.run(input as never, context(over)) as Promise<HttpResponse>;
const faultOf = (tool: Tool, input: Record<string, unknown>, over: Partial<RunContext> = {}) =>
  run(tool, input, over).then(
    (httpAnswer) => {
      throw new Error(`it answered ${JSON.stringify(httpAnswer)}`);
    },
    (fault: ToolError) => fault,
  );

describe('http_request', () => {
  test('returns every response in one shape: JSON as JSON, text as text, the rest as an attachment', async () => {
    expect(await run(httpRequest, { url: `${base}/json` })).toMatchObject({
      status: 200,
      ok: true,
      json: { a: [1, { b: 'ü' }] },
      text: null,
    });
    const text = await run(httpRequest, { url: `${base}/text#part` });
    expect(text).toMatchObject({ url: `${base}/text`, bytes: 5000, preview: 't'.repeat(300), truncated: false, json: null });
    expect(await run(httpRequest, { url: `${base}/broken-json` })).toMatchObject({ json: null, text: '{"a":' });
    expect(await run(httpRequest, { url: `${base}/image` })).toMatchObject({
      attachment: '/v1/blobs/x',
      text: null,
      preview: '4 bytes of image/png',
    });
    expect(kept.at(-1)).toMatchObject({ kind: 'image', content_type: 'image/png' });
  });

  test('an error status is a result; headers that set state are not shown', async () => {
    const missing = await run(httpRequest, { url: `${base}/missing` });
    expect(missing).toMatchObject({ status: 404, ok: false, text: 'nothing here' });
    expect(missing.headers).not.toHaveProperty('set-cookie');
  });

  test('reads no more than requested, and no longer than requested', async () => {
    expect(await run(httpRequest, { url: `${base}/endless`, max_bytes: 100_000 })).toMatchObject({ bytes: 100_000, truncated: true });
    expect(await faultOf(httpRequest, { url: `${base}/silent` }, { signal: AbortSignal.timeout(100) })).toMatchObject({ code: 'TIMEOUT' });
  });

  test('a busy or unavailable server states when to retry', async () => {
    expect(await faultOf(httpRequest, { url: `${base}/busy` })).toMatchObject({ code: 'RATE_LIMIT', more: { retry_after_s: 7 } });
    const down = await faultOf(httpRequest, { url: `${base}/down` });
    expect(down).toMatchObject({ code: 'PROVIDER_ERROR', more: { retryable: true, class: 'transient' } });
    expect(down.more.retry_after_s).toBeGreaterThan(5);
    expect(await faultOf(httpRequest, { url: `${base}/cut` })).toMatchObject({ code: 'NETWORK_ERROR', more: { retryable: true } });
  });

  test('only harmless headers are accepted', async () => {
    await run(httpRequest, { url: `${base}/json`, headers: { Accept: 'application/json' } });
    expect(hits[0]?.headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' });
    for (const name of ['Authorization', 'cookie', 'host', 'transfer-encoding', 'x-forwarded-for', 'proxy-authorization'])
      await expect(run(httpRequest, { url: `${base}/json`, headers: { [name]: 'x' } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(run(httpRequest, { url: `${base}/json`, headers: { accept: 'x\r\ny: z' } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(run(httpRequest, { url: `${base}/json`, method: 'POST' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(hits).toHaveLength(1);
  });
});

describe('redirects', () => {
  test('are followed five times and reported', async () => {
    expect((await run(httpRequest, { url: `${base}/hop?n=4` })).redirects).toHaveLength(5);
    expect(await faultOf(httpRequest, { url: `${base}/hop?n=5` })).toMatchObject({ code: 'PROVIDER_ERROR' });
  });

  test.each([301, 302, 303, 307, 308])('of status %i never lead where a first request may not go', async (status) => {
    const before = canaryHits;
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]'])
      expect(
        await faultOf(httpRequest, { url: `${base}/to?status=${status}&url=${encodeURIComponent(`http://${host}:${canaryPort}/`)}` }),
      ).toMatchObject({
        code: 'POLICY_DENIED',
      });
    for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x'])
      expect((await faultOf(httpRequest, { url: `${base}/to?url=${encodeURIComponent(url)}` })).code).toBe('POLICY_DENIED');
    expect(canaryHits).toBe(before);
  });
});

test.each(['http://', 'http://[::1', 'https://a:99999/', '//[/'])(
  'a redirect to what is no address (%s) is a fault of its server',
  async (location) => {
    const fault = await faultOf(httpRequest, { url: `${base}/to?url=${encodeURIComponent(location)}` });
    expect(fault).toMatchObject({ code: 'PROVIDER_ERROR', more: { effect: 'none', retryable: false } });
  },
);

describe('http_send', () => {
  test('sends the input with the idempotency key, and returns the response', async () => {
    const httpAnswer = await run(httpSend, { method: 'POST', url: `${base}/orders`, body: { a: 1 } }, { idempotency_key: 'key-1' });
    expect(httpAnswer).toMatchObject({ status: 201, ok: true, json: { made: true } });
    expect(bodies).toEqual(['{"a":1}']);
    expect(hits[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'key-1' });
  });

  test('a refusal has no effect, a failure of the server or a lost response may have one', async () => {
    expect(await faultOf(httpSend, { method: 'PUT', url: `${base}/missing` })).toMatchObject({
      more: { effect: 'none', class: 'not_found' },
    });
    expect(await faultOf(httpSend, { method: 'PUT', url: `${base}/busy` })).toMatchObject({ code: 'RATE_LIMIT', more: { effect: 'none' } });
    for (const path of ['/down', '/cut'])
      expect((await faultOf(httpSend, { method: 'PUT', url: base + path })).more.effect).toBeUndefined();
  });

  test('without a listener nothing was sent', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const settings = { COUNTERSIGN_HTTP_ALLOW: '127.0.0.1' };
    expect(await faultOf(httpSend, { method: 'POST', url: `http://127.0.0.1:${port}/` }, { settings })).toMatchObject({
      code: 'NETWORK_ERROR',
      more: { effect: 'none' },
    });
  });

  test('is not redirected to another address', async () => {
    const httpAnswer = await run(httpSend, {
      method: 'POST',
      url: `${base}/to?status=307&url=${encodeURIComponent(`${base}/orders`)}`,
      body: 'x',
    });
    expect(httpAnswer).toMatchObject({ status: 307, ok: false });
    expect(bodies).toEqual([]);
  });

  test('is a write that a person approves; http_request is a read', () => {
    expect(httpSend.contract).toMatchObject({ effect_class: 'commit_high', idempotency: { discriminating: ['method', 'url', 'body'] } });
    expect(httpRequest.contract.effect_class).toBe('read_external');
  });
});
