import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from './testing/api-document.js';
import { RawConnection, until } from './testing/raw-connection.js';
import { TestGateway } from './testing/test-gateway.js';

const routes = await allRoutes();

const MIB = 1_048_576;
/** Larger than all buffers on the way. */
const LARGE = 1_000_000;
const LIMITS = {
  body_bytes_per_tenant_max: 2 * MIB,
  body_bytes_per_address_max: 3 * MIB,
  body_bytes_max: 4 * MIB,
  connections_per_address_max: 250,
  headers_timeout_ms: 1_000,
};

let gateway: TestGateway;
/** API keys of agents of three tenants. */
const keys: Record<string, string> = {};
beforeAll(async () => {
  gateway = await TestGateway.open(LIMITS);
  for (const tenant_id of ['default', 'acme', 'globex']) {
    if (tenant_id !== 'default') await gateway.send('POST', '/v1/tenants', { tenant_id });
    const principal = { kind: 'agent', id: 'sender', roles: ['agent'] };
    keys[tenant_id] = (await gateway.send('POST', '/v1/keys', { tenant_id, principal })).body.key;
  }
}, 60_000);
afterAll(() => gateway.close(), 30_000);

const opened: RawConnection[] = [];
async function connect(from?: string): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.running.port, from);
  opened.push(connection);
  return connection;
}

async function metric(name: string): Promise<number> {
  const { text } = await gateway.send('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/** Closes what a test left open; that must release every byte. */
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  await until(async () => (await metric('countersign_http_body_bytes')) === 0);
});

const auth = (key: string | undefined) => ({ authorization: `Bearer ${key}` });
const refusedOf = (reason: string) => metric(`countersign_http_refused_total{reason="${reason}"}`);

/** Sends a request whose body never completes. */
async function hold(key: string | undefined, from?: string, path = '/v1/calls'): Promise<RawConnection> {
  const before = await metric('countersign_http_body_bytes');
  const connection = (await connect(from)).post(path, { ...auth(key), 'content-length': LARGE }, '{');
  await until(async () => connection.statuses.length > 0 || (await metric('countersign_http_body_bytes')) > before);
  return connection;
}

const note = (text: string) => ({ tool: 'write_note', inputs: { path: 'bounds', text }, context: {} });

describe('a request without a key is answered before its body is read', () => {
  test('by every route that needs a key', async () => {
    const keyed = routes.filter(({ method, is_public }) => method !== 'GET' && !is_public);
    const missed = async ({ method, path }: (typeof keyed)[number]) => {
      const connection = await connect();
      const url = path.replace(/\{\w+\}/g, 'x');
      // No byte of the body is sent, so the response cannot have waited for it.
      await connection.send(method, url, { ...auth('csk_nobody'), 'content-length': LARGE }).answered();
      // 404: this gateway runs without the module of the route.
      return [401, 404].includes(connection.problem.status) ? [] : [`${method} ${path}: ${connection.problem.status}`];
    };
    expect(keyed.length).toBeGreaterThan(50);
    expect(await Promise.all(keyed.map(missed)).then((all) => all.flat())).toEqual([]);
  });

  test.each([
    ['no key', {}],
    ['an unknown token', auth('nonsense')],
    ['a token with an unknown signature', auth('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln')],
    ['a chunked body', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_title, headers) => {
    const length: Record<string, string | number> = 'transfer-encoding' in headers ? {} : { 'content-length': LARGE };
    for (const path of ['/v1/calls', '/v1/cases']) {
      const connection = await connect();
      await connection.post(path, { ...headers, ...length }).answered();
      expect(connection.problem).toMatchObject({ type: 'urn:countersign:problem:unauthenticated', status: 401 });
      expect(connection.text).toContain('www-authenticate: Bearer');
    }
    expect(await metric('countersign_http_body_bytes')).toBe(0);
  });

  test('the body that it sends anyway is bounded: the connection is closed', async () => {
    const connection = (await connect()).post('/v1/calls', { 'content-length': LARGE }, 'x'.repeat(LARGE / 2));
    await connection.untilClosed();
    expect(connection.statuses).toEqual([401]);
    expect(await refusedOf('unauthenticated_body')).toBeGreaterThan(0);
  });

  test('a small body is discarded, and the connection stays open', async () => {
    const body = JSON.stringify(note('after a refusal'));
    const headers = { 'content-length': body.length };
    const connection = await connect();
    await connection.post('/v1/calls', { ...headers, ...auth('csk_nobody') }, body).answered();
    await connection.post('/v1/calls', { ...headers, ...auth(keys.default) }, body).answered(2);
    expect(connection.statuses).toEqual([401, 200]);
  });

  test('a route without keys accepts small bodies only', async () => {
    const small = await gateway.send('POST', '/v1/decisions', { token: 'x', approved: true }, { authorization: '' });
    expect(small.status).not.toBe(413);
    const connection = await connect();
    await connection.post('/v1/decisions', { 'content-length': 65_537 }).answered();
    expect(connection.problem).toMatchObject({ status: 413, detail: expect.stringMatching(/65537.*65536/) });
    const chunked = await connect();
    await chunked.post('/v1/decisions', { 'transfer-encoding': 'chunked' }, `10001\r\n${'x'.repeat(65_537)}\r\n`).answered();
    expect(chunked.problem.status).toBe(413);
  });
});

describe('Expect: 100-continue', () => {
  test.each(['/v1/calls', '/v1/calls?'])('100 Continue is sent only if the body will be read: %s', async (path) => {
    const body = JSON.stringify(note('asked for'));
    const head = { expect: '100-continue', 'content-length': body.length };
    const refused = await connect();
    await refused.post(path, head).answered();
    expect(refused.statuses).toEqual([401]);
    const taken = (await connect()).post(path, { ...head, ...auth(keys.default) });
    await until(() => taken.statuses[0] === 100);
    taken.socket.write(body);
    await taken.answered(2);
    expect(taken.statuses).toEqual([100, 200]);
  });

  test('100 Continue is not sent for a body that is too large', async () => {
    const connection = await connect();
    await connection.post('/v1/calls', { expect: '100-continue', 'content-length': 2 * MIB, ...auth(keys.default) }).answered();
    expect(connection.statuses).toEqual([413]);
  });
});

describe('bytes of bodies in flight are capped', () => {
  test('by tenant, by address and by process; each refusal names its cap, and others are served', async () => {
    const more = (
      await gateway.send('POST', '/v1/keys', { tenant_id: 'acme', principal: { kind: 'agent', id: 'other', roles: ['agent'] } })
    ).body.key;
    await hold(keys.acme);
    await hold(more, undefined, '/v1/cases');
    const third = await (await hold(keys.acme)).answered();
    expect(third.problem).toMatchObject({
      type: 'urn:countersign:problem:too-many-bytes',
      status: 429,
      retry_after_s: 1,
      scope: 'tenant',
      found_bytes: 2 * LARGE,
      wanted_bytes: LARGE,
      max_bytes: 2 * MIB,
      validation: { issues: [{ path: '', code: 'too_many_bytes' }] },
    });
    expect(third.text).toContain('retry-after: 1');
    await hold(keys.globex);
    expect((await (await hold(keys.globex)).answered()).problem).toMatchObject({ status: 429, scope: 'address', max_bytes: 3 * MIB });
    // The same tenant is served from another address.
    expect((await hold(keys.globex, '127.0.0.2')).statuses).toEqual([]);
    const busy = await (await hold(keys.default, '127.0.0.3')).answered();
    expect(busy.problem).toMatchObject({ type: 'urn:countersign:problem:overloaded', status: 503, retry_after_s: 2, scope: 'process' });
    expect(busy.problem).not.toHaveProperty('found_bytes');
    expect(await metric('countersign_http_body_bytes')).toBe(4 * LARGE);
    for (const scope of ['tenant', 'address', 'process']) expect(await refusedOf(`body_bytes_${scope}`)).toBe(1);
  });

  test('small calls of a tenant at its cap are refused until a body ends, those of another are not', async () => {
    const held = await hold(keys.acme);
    await hold(keys.acme);
    const send = (key: string | undefined, text: string) => gateway.send('POST', '/v1/calls', note(text.padEnd(98_000, 'x')), {}, key);
    expect((await send(keys.acme, 'one')).status).toBe(429);
    expect((await send(keys.globex, 'two')).status).not.toBe(429);
    held.close();
    await until(async () => (await metric('countersign_http_body_bytes')) === LARGE);
    expect((await send(keys.acme, 'three')).status).not.toBe(429);
  });

  test('a body without a length is counted as it arrives, and refused beyond the cap', async () => {
    await hold(keys.acme);
    const chunked = (await connect()).post('/v1/cases', { ...auth(keys.acme), 'transfer-encoding': 'chunked' });
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    chunked.socket.write(chunk);
    await until(async () => (await metric('countersign_http_body_bytes')) === LARGE + 65_536);
    await hold(keys.acme);
    expect(chunked.statuses).toEqual([]);
    chunked.socket.write(chunk);
    await chunked.answered();
    expect(chunked.problem).toMatchObject({ status: 429, scope: 'tenant', wanted_bytes: expect.any(Number) });
    await chunked.untilClosed();
  });

  test('a body without a length beyond the maximum is refused as too large', async () => {
    const chunked = (await connect()).post('/v1/cases', { ...auth(keys.acme), 'transfer-encoding': 'chunked' });
    chunked.socket.write(`10000\r\n${' '.repeat(65_536)}\r\n`.repeat(17));
    await chunked.answered();
    expect(chunked.problem.status).toBe(413);
  });

  test('800 half-sent bodies stay within the caps', async () => {
    for (let round = 1; round <= 8; round++) {
      // One address per round: the server notices late that unread connections were closed.
      const senders = await Promise.all(Array.from({ length: 100 }, () => connect(`127.0.1.${round}`)));
      for (const sender of senders) sender.post('/v1/calls', { ...auth(keys.acme), 'content-length': LARGE }, 'x'.repeat(100_000));
      await until(() => senders.filter(({ statuses }) => statuses[0] === 429).length >= 98);
      expect(await metric('countersign_http_body_bytes')).toBeLessThanOrEqual(LIMITS.body_bytes_per_tenant_max);
      for (const sender of senders) sender.close();
      await until(async () => (await metric('countersign_http_body_bytes')) === 0);
    }
  });
});

describe('reserved bytes are released however a request ends', () => {
  const whole = JSON.stringify(note('whole'));

  test.each<[string, (connection: RawConnection) => unknown]>([
    ['the sender goes in the middle', (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': LARGE }, '{').close()],
    [
      'it goes in the middle, through the router',
      (one) => one.post('/v1/cases', { ...auth(keys.acme), 'content-length': LARGE }, '{').close(),
    ],
    ['it closes its half', (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': LARGE }, '{').socket.end()],
    ['the length is a lie', (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': 10 }, whole)],
    ['a chunk is a lie', (one) => one.post('/v1/cases', { ...auth(keys.acme), 'transfer-encoding': 'chunked' }, 'zz\r\nnot a chunk')],
    ['no JSON', (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': 4 }, 'nope')],
    [
      'another content type',
      (one) => one.post('/v1/cases', { ...auth(keys.acme), 'content-type': 'text/plain', 'content-length': LARGE }, 'x'),
    ],
    ['a body of a GET', (one) => one.send('GET', '/v1/calls', { ...auth(keys.acme), 'content-length': LARGE }, 'x')],
    ['two lengths', (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': '10, 20' }, whole)],
    [
      'a length and chunks',
      (one) => one.post('/v1/calls', { ...auth(keys.acme), 'content-length': 10, 'transfer-encoding': 'chunked' }, whole),
    ],
    [
      'requests one behind the other, and none is waited for',
      (one) => {
        for (let at = 0; at < 20; at++) one.post('/v1/calls', { ...auth(keys.acme), 'content-length': whole.length }, whole);
        setImmediate(() => one.close());
      },
    ],
  ])('%s', async (_title, act) => {
    await Promise.all(Array.from({ length: 20 }, async () => act(await connect())));
    // `afterEach` checks that everything is released once the connections are closed. A connection that the server keeps is released by
    // its response.
    await until(async () => (await metric('countersign_http_body_bytes')) <= LIMITS.body_bytes_per_tenant_max);
  });

  test('requests on one keep-alive connection', async () => {
    const connection = await connect();
    for (let at = 1; at <= 30; at++)
      await connection.post('/v1/calls', { ...auth(keys.acme), 'content-length': whole.length }, whole).answered(at);
    expect(connection.statuses).toHaveLength(30);
    await until(async () => (await metric('countersign_http_body_bytes')) === 0);
    expect(connection.closed).toBe(false);
  });

  test('large bodies are answered one after another', async () => {
    const text = 'x'.repeat(400_000);
    const answers = await Promise.all([1, 2, 3, 4].map((n) => gateway.send('POST', '/v1/calls', note(`${n}${text}`), {}, keys.globex)));
    for (const { status } of answers) expect(status).toBeLessThan(500);
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
  });
});

describe('connections', () => {
  test('slow headers are answered with 408 and closed', async () => {
    const slow = await connect();
    slow.socket.write('POST /v1/calls HTTP/1.1\r\nhost: x\r\nx-slow: ');
    await slow.untilClosed();
    expect(slow.problem).toMatchObject({ type: 'urn:countersign:problem:request-timeout', status: 408 });
    expect(await refusedOf('headers_too_slow')).toBeGreaterThan(0);
  });

  test('one address has a maximum, and another address is still served', async () => {
    const all = await Promise.all(Array.from({ length: LIMITS.connections_per_address_max }, () => connect('127.0.0.9')));
    const refused = await connect('127.0.0.9');
    await refused.untilClosed();
    expect([refused.text, all.some(({ closed }) => closed)]).toEqual(['', false]);
    expect(await refusedOf('connections_address')).toBe(1);
    all[0]?.close();
    await until(async () => {
      const next = await connect('127.0.0.9');
      next.send('GET', '/healthz', {});
      await until(() => next.closed || next.statuses.length > 0);
      return next.statuses[0] === 200;
    });
  });
});
