import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolError } from '@countersign/tool-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostileAnswers } from '../testing/hostile-upstream.js';
import { runOf, targetAt, tool, upstreamRig } from '../testing/upstream-rig.js';
import type { McpSessions } from './mcp-sessions.js';
import type { UpstreamTarget } from './upstream.js';

interface Sent {
  id?: number;
  method?: string;
  params?: { name?: string };
}

let server: Server;
let sessions: McpSessions;
let host: string;
let mode: string;
/** Ids of live sessions; a request of another is answered with 404. */
let live: Set<string>;
let given: number;
let received: { message: Sent; headers: IncomingMessage['headers']; method: string }[];
/** Answers calls instead of the hostile tools. */
let onCall: ((response: ServerResponse, message: Sent) => boolean) | undefined;
let onGet: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

const event = (data: string, id?: string) => `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
const calls = (method = 'tools/call') => received.filter(({ message }) => message.method === method);

function answer(request: IncomingMessage, response: ServerResponse, message: Sent): void {
  const session = String(request.headers['mcp-session-id'] ?? '');
  if (request.method === 'GET') {
    if (!onGet?.(request, response)) response.writeHead(405).end();
    return;
  }
  if (request.method === 'DELETE') {
    live.delete(session);
    return void response.writeHead(204).end();
  }
  if (message.method === 'initialize') {
    const id = `session-${++given}`;
    live.add(id);
    response.setHeader('mcp-session-id', id);
  } else if (message.method !== 'server/discover' && !live.has(session))
    return void response.writeHead(404).end('{"error":"unknown session"}');
  if (message.method === 'tools/call' && onCall?.(response, message)) return;
  const lines = hostileAnswers(mode, message);
  if (lines === undefined) return;
  if (lines.length === 0) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(lines.map((line) => event(line)).join(''));
}

beforeEach(async () => {
  [mode, live, given, received, onCall, onGet] = ['', new Set(), 0, [], undefined, undefined];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const message = (body === '' ? {} : JSON.parse(body)) as Sent;
      received.push({ message, headers: request.headers, method: request.method ?? '' });
      answer(request, response, message);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  ({ sessions } = await upstreamRig({ private_hosts: [host] }));
});
afterEach(async () => {
  await sessions.close();
  server.closeAllConnections();
  server.close();
});

const target = (more: Partial<UpstreamTarget> = {}) => targetAt({ kind: 'http', url: `http://${host}/mcp` }, more);
const listed = (more: Partial<UpstreamTarget> = {}) => sessions.list(target(more), AbortSignal.timeout(30_000));
const text = async (name: string, more: Partial<UpstreamTarget> = {}, inputs: object = {}) => {
  const { content } = await sessions.call(target(more), tool(name), inputs, runOf());
  return content.map((part) => ('text' in part ? part.text : part.type)).join();
};
const faultOf = (name: string, more: Partial<UpstreamTarget> = {}) =>
  text(name, more).then(
    (found) => Promise.reject(new Error(`it answered ${found}`)),
    (fault: ToolError) => fault,
  );

describe('a session', () => {
  test('is opened once and used again, and its server is told when it ends', async () => {
    expect(await Promise.all([text('echo', {}, { a: 1 }), text('echo', {}, { b: 2 })])).toEqual(['{"a":1}', '{"b":2}']);
    expect(await listed()).toMatchObject({ kind: 'complete', protocol_version: '2025-11-25' });
    expect(given).toBe(1);
    await sessions.close();
    expect(live.size).toBe(0);
  });

  test('that the server has forgotten is opened again, and the call runs once', async () => {
    await text('echo');
    live.clear();
    expect(await text('echo', {}, { again: true })).toBe('{"again":true}');
    expect(given).toBe(2);
    live.clear();
    expect(await listed()).toMatchObject({ kind: 'complete' });
  });

  test('that every server forgets at once is opened again one time', async () => {
    onCall = (response) => {
      response.writeHead(404).end();
      return true;
    };
    expect(await faultOf('echo')).toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none' } });
    expect([given, calls().length]).toEqual([2, 2]);
  });

  test('is one for each tenant and user, and has their token alone', async () => {
    const as = (tenant_id: string, user_id: string | null, bearer: string) => ({ tenant_id, credentials: { user_id, bearer } });
    for (const of of [as('acme', null, 'of-acme'), as('acme', 'ann', 'of-ann'), as('other', null, 'of-other')]) await text('echo', of);
    await text('echo', as('acme', 'ann', 'of-ann-later'));
    expect(given).toBe(3);
    expect(calls().map(({ headers }) => headers.authorization)).toEqual(
      ['of-acme', 'of-ann', 'of-other', 'of-ann-later'].map((token) => `Bearer ${token}`),
    );
  });
});

describe('a call', () => {
  test.each([
    [401, 'AUTH_REQUIRED', 'none'],
    [429, 'RATE_LIMIT', 'none'],
    [422, 'VALIDATION_ERROR', 'none'],
    [500, 'PROVIDER_ERROR', undefined],
    [503, 'PROVIDER_ERROR', undefined],
    [302, 'PROVIDER_ERROR', undefined],
    [307, 'PROVIDER_ERROR', 'none'],
  ] as const)('that is answered with status %i fails as %s, with effect %s, and is sent once', async (status, code, effect) => {
    onCall = (response) => {
      response.writeHead(status, { location: 'http://169.254.169.254/', 'retry-after': '7' }).end('{"error":"no"}');
      return true;
    };
    const fault = await faultOf('echo');
    expect([fault.code, fault.more.effect]).toEqual([code, effect]);
    if (status === 429) expect(fault.more.retry_after_s).toBe(7);
    expect(calls()).toHaveLength(1);
  });

  test.each([
    ['is cut before its answer', (response: ServerResponse) => response.socket?.destroy()],
    [
      'is cut within its answer',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"js', () => response.socket?.destroy()),
    ],
    ['ends without an answer', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
    ['has another type of content', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['is no JSON', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jso')],
  ])('whose response %s may have happened, and is not sent again', async (_, act) => {
    onCall = (response) => {
      act(response);
      return true;
    };
    const fault = await faultOf('echo', { timeout_ms: 5_000 });
    expect(fault.more.effect).toBeUndefined();
    expect(['NETWORK_ERROR', 'PROVIDER_ERROR']).toContain(fault.code);
    expect(calls()).toHaveLength(1);
  });

  test('that is not answered ends in time, and the server is told', async () => {
    expect(await faultOf('stall', { timeout_ms: 300 })).toMatchObject({ code: 'TIMEOUT' });
    await expect.poll(() => calls('notifications/cancelled').length).toBe(1);
    expect(calls()).toHaveLength(1);
  });

  test('that was given up leaves no connection open', async () => {
    await text('echo');
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await Promise.all(Array.from({ length: 10 }, () => faultOf('stall', { timeout_ms: 200 })));
    await expect.poll(open, { timeout: 10_000 }).toBeLessThan(3);
  });

  test('of a server that says its headers do not match is not sent again', async () => {
    onCall = (response, { id }) => {
      const error = { code: -32020, message: 'header mismatch' };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      return true;
    };
    await faultOf('echo');
    expect(calls()).toHaveLength(1);
  });

  test('whose response has no end is cut at its limit', async () => {
    let written = 0;
    onCall = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        written += 65_536;
        if (!response.destroyed) response.write('x'.repeat(65_536), more);
      };
      more();
      return true;
    };
    expect(await faultOf('echo', { max_output_bytes: 100_000 })).toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('bytes'),
    });
    expect(written).toBeLessThan(8_000_000);
  });

  test('goes on where a broken stream of events can be resumed', async () => {
    let id: number | undefined;
    onCall = (response, message) => {
      id = message.id;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('', 'e1'), () => response.socket?.destroy());
      return true;
    };
    onGet = (request, response) => {
      if (request.headers['last-event-id'] !== 'e1') return false;
      const result = { content: [{ type: 'text', text: 'resumed' }] };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(JSON.stringify({ jsonrpc: '2.0', id, result })));
      return true;
    };
    expect(await text('echo')).toBe('resumed');
    expect(calls()).toHaveLength(1);
  });

  test('whose server ends each of its streams at once is given up', async () => {
    let streams = 0;
    onCall = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`retry: 0\n${event('', 'e1')}`);
      return true;
    };
    onGet = (_, response) => {
      streams++;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
      return true;
    };
    expect(await faultOf('echo', { timeout_ms: 4_000 })).toMatchObject({ code: 'TIMEOUT' });
    expect(streams).toBeLessThan(10);
  });
});

test('a server that asks its client many things gets few answers', async () => {
  const asks = Array.from({ length: 500 }, (_, at) => JSON.stringify({ jsonrpc: '2.0', id: `q${at}`, method: 'ping' }));
  onCall = (response, { id }) => {
    const result = { content: [{ type: 'text', text: 'done' }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([...asks, JSON.stringify({ jsonrpc: '2.0', id, result })].map((line) => event(line)).join(''));
    return true;
  };
  expect(await text('echo')).toBe('done');
  await sessions.close();
  expect(received.filter(({ message, method }) => method === 'POST' && message.method === undefined).length).toBeLessThan(30);
});

describe('an address', () => {
  test.each([
    ['http://127.0.0.1:9/mcp', 'configuration'],
    ['https://10.0.0.1/mcp', 'configuration'],
    ['https://169.254.169.254/mcp', 'configuration'],
    ['https://metadata.google.internal/mcp', 'configuration'],
    ['file:///etc/passwd', 'configuration'],
    ['https://user:pass@example.com/mcp', 'configuration'],
  ])('%s is refused before anything is sent', async (url, fault) => {
    expect(await sessions.list(targetAt({ kind: 'http', url }), AbortSignal.timeout(5_000))).toMatchObject({
      kind: 'failed',
      fault,
      is_retryable: false,
    });
    await expect(sessions.call(targetAt({ kind: 'http', url }, { revision: 2 }), tool('echo'), {}, runOf())).rejects.toMatchObject({
      more: { effect: 'none' },
    });
  });

  test('where nothing listens is unreachable, and a call there has no effect', async () => {
    await sessions.close();
    await new Promise((resolve) => server.close(resolve));
    ({ sessions } = await upstreamRig({ private_hosts: [host] }));
    expect(await listed()).toMatchObject({ kind: 'failed', fault: 'unreachable', is_retryable: true });
    expect(await faultOf('echo', { revision: 2 })).toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
  });

  test('that refuses the credentials says so, and not which', async () => {
    server.removeAllListeners('request').on('request', (_, response: ServerResponse) => response.writeHead(401).end('not token-of-acme'));
    const credentials = { user_id: null, bearer: 'token-of-acme' };
    const listing = await listed({ credentials });
    expect(listing).toMatchObject({ kind: 'failed', fault: 'credentials', is_retryable: false });
    const fault = await faultOf('echo', { credentials, revision: 2 });
    expect(fault).toMatchObject({ code: 'AUTH_REQUIRED', more: { effect: 'none' } });
    expect(JSON.stringify([listing, fault.message, fault.more])).not.toContain('token-of-acme');
  });
});
