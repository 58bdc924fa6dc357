import { afterEach, describe, expect, test } from 'vitest';
import { type ClientOptions, CountersignClient } from './countersign-client.js';
import { answer, cut, page, ScriptedGateway, type Step, silent } from './testing/scripted-gateway.js';

const started: ScriptedGateway[] = [];
afterEach(() => {
  for (const gateway of started.splice(0)) gateway.stop();
});

async function gatewayWith(...steps: Step[]): Promise<ScriptedGateway> {
  const gateway = await ScriptedGateway.start(steps, silent);
  started.push(gateway);
  return gateway;
}
const clientOf = (gateway: ScriptedGateway, more: Partial<ClientOptions> = {}) =>
  new CountersignClient({ url: gateway.url, key: 'k', patience_ms: 1000, ...more });

const call = { tool: 'write_file', inputs: {} };
const running = answer(202, { status: 'running', call_id: '0-a' });
const done = answer(200, { status: 'succeeded', call_id: '0-a' });

describe('the time limit applies to everything', () => {
  test('a gateway that never responds', async () => {
    const gateway = await gatewayWith();
    expect(await clientOf(gateway).call(call)).toMatchObject({ kind: 'unreachable' });
    expect(gateway.lines).toEqual(['POST /v1/calls']);
  });

  test('a response that never ends', async () => {
    const gateway = await gatewayWith((_, response) => response.writeHead(200).write('{"status":'));
    expect(await clientOf(gateway).call(call)).toMatchObject({ kind: 'unreachable' });
  });

  test('a Retry-After beyond the limit: the refusal is returned at once, without a pause or another request', async () => {
    for (const value of ['60', new Date(Date.now() + 3_600_000).toUTCString()]) {
      const gateway = await gatewayWith(answer(429, { title: 'Slow down' }, { 'retry-after': value }));
      expect(await clientOf(gateway, { patience_ms: 30_000 }).call(call)).toMatchObject({
        kind: 'refused',
        problem: { status: 429, retry_after_s: expect.any(Number) },
      });
      expect(gateway.lines).toHaveLength(1);
    }
  });

  test('a Retry-After within the limit is waited for, also while a call is polled', async () => {
    const later = answer(503, { title: 'Unavailable' }, { 'retry-after': '1' });
    const gateway = await gatewayWith(later, running, later, done);
    const begun = performance.now();
    expect(await clientOf(gateway, { patience_ms: 30_000 }).call(call)).toMatchObject({ envelope: { status: 'succeeded' } });
    expect(performance.now() - begun).toBeGreaterThan(1900);
    expect(gateway.lines).toEqual(['POST /v1/calls', 'POST /v1/calls', 'GET /v1/calls/0-a', 'GET /v1/calls/0-a']);
  });

  test('what is known is returned: the envelope of a continuing call, the refusal before a silence', async () => {
    const goesOn = await gatewayWith(running);
    expect(await clientOf(goesOn).call(call)).toMatchObject({ kind: 'answered', envelope: { status: 'running', call_id: '0-a' } });
    const refused = await gatewayWith(answer(503, { title: 'Unavailable' }));
    expect(await clientOf(refused).call(call)).toMatchObject({ kind: 'refused', problem: { status: 503, title: 'Unavailable' } });
  });

  test('the requested wait is shorter than the timeout', async () => {
    const gateway = await gatewayWith(done, done);
    await clientOf(gateway, { patience_ms: 5000 }).call(call);
    await clientOf(gateway, { patience_ms: 3_600_000 }).call(call);
    const waits = gateway.seen.map(({ headers }) => Number(String(headers.prefer).replace('wait=', '')));
    expect(waits[0]).toBeLessThanOrEqual(4);
    expect(waits[1]).toBe(30);
  });

  test('the limit applies to ended and cancel, too', async () => {
    const gateway = await gatewayWith();
    expect(await clientOf(gateway).ended('0-a', 300)).toMatchObject({ kind: 'unreachable' });
    expect(await clientOf(gateway, { patience_ms: 300 }).cancel('0-a', 'enough')).toMatchObject({ kind: 'unreachable' });
    expect(gateway.lines).toEqual(['GET /v1/calls/0-a', 'POST /v1/calls/0-a/cancel']);
  });

  test('if the caller aborts earlier, what is known is returned', async () => {
    const gateway = await gatewayWith(running);
    const stop = new AbortController();
    const result = clientOf(gateway, { patience_ms: 3_600_000 }).call(call, { signal: stop.signal });
    while (gateway.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(await result).toMatchObject({ kind: 'answered', envelope: { status: 'running' } });
    expect(await clientOf(gateway).call(call, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'unreachable' });
  });

  test.each([0, -1, Number.NaN])('%s is no patience', async (patience_ms) => {
    const gateway = await gatewayWith();
    expect(() => clientOf(gateway, { patience_ms })).toThrow('patience_ms');
    await expect(clientOf(gateway).ended('0-a', patience_ms)).rejects.toThrow('patience_ms');
  });
});

describe('the address', () => {
  test.each(['', '/', '/base', '/base/', '/a/b//'])('keeps its path %j', async (path) => {
    const gateway = await gatewayWith(running, done, done);
    const client = clientOf(gateway, { url: `${gateway.url}${path}` });
    await client.call(call);
    await client.cancel('0/a?', 'enough');
    const base = path.replace(/\/+$/, '');
    expect(gateway.lines).toEqual([`POST ${base}/v1/calls`, `GET ${base}/v1/calls/0-a`, `POST ${base}/v1/calls/0%2Fa%3F/cancel`]);
  });

  test.each(['nowhere', 'ftp://host', 'http://user:secret@host', 'http://host/?a=b', 'http://host/#a'])('%s is refused', (url) => {
    expect(() => new CountersignClient({ url, key: 'k' })).toThrow(expect.objectContaining({ name: 'TypeError' }));
  });

  test('a key that no header can contain is refused, not retried for a minute', async () => {
    expect(() => new CountersignClient({ url: 'http://host', key: 'a\nb' })).toThrow(expect.objectContaining({ name: 'TypeError' }));
    const gateway = await gatewayWith();
    await expect(clientOf(gateway).call(call, { idempotency_key: 'a\nb' })).rejects.toThrow(expect.objectContaining({ name: 'TypeError' }));
    await expect(clientOf(gateway).call({ ...call, inputs: { n: 1n } })).rejects.toThrow(expect.objectContaining({ name: 'TypeError' }));
    expect(gateway.lines).toEqual([]);
  });
});

describe('a response of another server', () => {
  test('a page instead of a problem is a refusal with its status', async () => {
    for (const [status, text] of [
      [401, '<h1>Login</h1>'],
      [413, ''],
      [404, '[]'],
      [500, '"no"'],
    ] as const) {
      const gateway = await gatewayWith(page(status, text));
      const problem = { status, type: 'about:blank', title: expect.stringMatching(/./), code: 'UNKNOWN' };
      expect(await clientOf(gateway).call(call)).toEqual({ kind: 'refused', problem });
      expect(gateway.lines).toHaveLength(1);
    }
  });

  test('a page of a proxy with status 502 is retried', async () => {
    const gateway = await gatewayWith(
      page(502, '<h1>Bad gateway</h1>'),
      answer(503, { title: 'Unavailable', retry_after_s: 'soon' }),
      cut,
      done,
    );
    expect(await clientOf(gateway, { patience_ms: 30_000 }).call(call)).toMatchObject({ envelope: { status: 'succeeded' } });
  });

  test('a page with status 200 is no result', async () => {
    const gateway = await gatewayWith(page(200, '<h1>Welcome</h1>'), page(200, '{}'), done);
    expect(await clientOf(gateway, { patience_ms: 30_000 }).call(call)).toMatchObject({ envelope: { status: 'succeeded' } });
    expect(gateway.lines).toHaveLength(3);
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%s) sends neither key nor inputs anywhere', async (status) => {
    const other = await gatewayWith(done);
    const gateway = await gatewayWith(page(status, 'elsewhere', { location: `${other.url}/v1/calls` }));
    expect(await clientOf(gateway).call(call)).toMatchObject({
      kind: 'refused',
      problem: { status, detail: expect.stringContaining(other.url) },
    });
    expect(other.lines).toEqual([]);
    expect(gateway.lines).toHaveLength(1);
  });
});
