import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemSchema } from './documents/problem-schema.js';
import { allRoutes } from './testing/api-document.js';
import { TestGateway } from './testing/test-gateway.js';

const routes = await allRoutes();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(() => gateway.close(), 30_000);

const EMPTY_JSON = { 'content-type': 'application/json' };

describe('an empty body with a JSON Content-Type', () => {
  test('counts as no body: a route without a body works', async () => {
    const { body } = await gateway.call('ask_first');
    const cancelled = await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`, undefined, EMPTY_JSON);
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await gateway.send('POST', '/v1/cases', undefined, EMPTY_JSON)).status).toBe(201);
    const { body: made } = await gateway.send('POST', '/v1/keys', { principal: { kind: 'user', id: 'short', roles: ['agent'] } });
    expect((await gateway.send('DELETE', `/v1/keys/${made.key_id}`, undefined, EMPTY_JSON)).status).toBe(204);
  });

  test('is refused as invalid by a route that needs a body', async () => {
    const answer = await gateway.send('POST', '/v1/calls', undefined, EMPTY_JSON);
    expect(answer).toMatchObject({ status: 400, body: { type: 'urn:countersign:problem:invalid-request' } });
    expect((await gateway.send('POST', '/v1/calls', '{', EMPTY_JSON)).body.type).toBe('urn:countersign:problem:malformed-body');
  });

  test('is refused exactly by the routes whose body the OpenAPI document requires', async () => {
    const documented = routes.flatMap(({ method, path, operation: { requestBody } }) =>
      requestBody === undefined ? [] : [{ method, path, required: requestBody.required }],
    );
    const missed = async ({ method, path, required }: (typeof documented)[number]) => {
      const { status } = await gateway.send(method, path.replace(/\{\w+\}/g, 'x'));
      const refused = [400, 422].includes(status);
      // 404: the route checks the resource first, or this gateway runs without the module of the route.
      return refused === required || status === 404 ? [] : [`${method} ${path}: ${status}, required: ${required}`];
    };
    expect(await Promise.all(documented.map(missed)).then((all) => all.flat())).toEqual([]);
  });

  const changing = routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => [method, path] as const);
  test.each(changing)('never causes an internal error: %s %s', async (method, path) => {
    const answer = await gateway.send(method, path.replace(/\{\w+\}/g, 'x'), undefined, EMPTY_JSON);
    expect(answer.status).toBeLessThan(500);
    if (answer.status >= 400) expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });
});

describe('a number of a query must be in decimal digits', () => {
  test.each(['', '%20', '%205', '0x5', '5e0', 'five', '5$6'])('%j is refused by every route that has such a number', async (text) => {
    const numbers = routes.flatMap(({ method, path, operation: { parameters } }) => {
      const taken = parameters.filter((one) => one.in === 'query' && ['integer', 'number'].includes(one.schema.type ?? ''));
      return taken.map(({ name }) => ({ method, path, name }));
    });
    expect(numbers.length).toBeGreaterThan(10);
    const missed = async ({ method, path, name }: (typeof numbers)[number]) => {
      const query = `${name}=${text.replace('$', `&${name}=`)}`;
      const { status, body } = await gateway.send(method, `${path.replace(/\{\w+\}/g, 'x')}?${query}`);
      // 404: this gateway runs without the module of the route.
      if (status === 404) return [];
      return status === 400 && String(body.detail).startsWith(`/${name}: `) ? [] : [`${path}?${query}: ${status} ${body.detail}`];
    };
    expect(await Promise.all(numbers.map(missed)).then((all) => all.flat())).toEqual([]);
  });
});

describe('a request without a route gets a problem document', () => {
  const get = (path: string) =>
    new Promise<{ status: number | undefined; type: string | undefined; body: string }>((done, failed) => {
      const { hostname, port } = new URL(gateway.url);
      const sent = request({ hostname, port, path, agent: false }, (answer) => {
        let body = '';
        answer.on('data', (chunk) => {
          body += chunk;
        });
        answer.on('end', () => done({ status: answer.statusCode, type: answer.headers['content-type'], body }));
      });
      sent.on('error', failed).end();
    });

  test.each([
    ['/v1/calls/%ZZ', 400, 'invalid-request'],
    [`/v1/calls/${'x'.repeat(5_000)}`, 414, 'uri-too-long'],
  ])('%.20s', async (path, status, kind) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status, type: expect.stringContaining('application/problem+json') });
    expect(JSON.parse(answer.body)).toMatchObject({
      type: `urn:countersign:problem:${kind}`,
      status,
      instance: path,
      code: 'VALIDATION_ERROR',
    });
  });

  test.each([
    [`GET /v1/tools HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    ['no HTTP at all\r\n\r\n', 400, 'invalid-request'],
  ])('%.20s, and its connection is closed', async (text, status, kind) => {
    const socket = connect(gateway.running.port, '127.0.0.1', () => socket.write(text));
    let all = '';
    socket.on('data', (chunk) => {
      all += chunk;
    });
    socket.on('error', () => undefined);
    await new Promise((closed) => socket.on('close', closed));
    const [head, body] = all.split('\r\n\r\n') as [string, string];
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\w ]+\r\n`));
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    const { request_id, ...problem } = JSON.parse(body);
    expect(problem).toMatchObject({ type: `urn:countersign:problem:${kind}`, status });
    expect(head).toContain(`Countersign-Request-Id: ${request_id}`);
  });
});

describe('every response has the id of its request', () => {
  const ID = 'countersign-request-id';
  const sent = { 'x-request-id': 'report-2024-118' };

  test.each([
    ['GET', '/healthz', undefined, 200],
    ['GET', '/v1/tools', undefined, 200],
    ['GET', '/v1/calls/none', undefined, 404],
    ['GET', '/no/such/route', undefined, 404],
    ['PUT', '/v1/calls', {}, 405],
    ['GET', '/v1/calls/%ZZ', undefined, 400],
    ['POST', '/v1/calls', { tool: 'no_such_tool', inputs: {} }, 404],
    ['POST', '/v1/calls:batch', { calls: [{ tool: 'no_such_tool', inputs: {} }] }, 200],
  ])('%s %s', async (method, path, body, status) => {
    const answer = await gateway.send(method, path, body, sent);
    expect([answer.status, answer.headers.get(ID)]).toEqual([status, sent['x-request-id']]);
    if (status >= 400) expect(answer.body.request_id).toBe(sent['x-request-id']);
    expect((await gateway.send(method, path, body)).headers.get(ID)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  test('also without a valid token, and on the direct path', async () => {
    const unknown = await gateway.send('POST', '/v1/calls', {}, { ...sent, authorization: 'Bearer csk_none' });
    expect([unknown.status, unknown.headers.get(ID), unknown.body.request_id]).toEqual([401, ...Array(2).fill(sent['x-request-id'])]);
    const taken = await gateway.send('POST', '/v1/calls', { tool: 'ask_first', inputs: {} }, { ...sent, prefer: 'wait=0' });
    expect(taken.headers.get(ID)).toBe(sent['x-request-id']);
  });
});

describe('a body that is not UTF-8 is refused, not decoded to other characters', () => {
  const body = Buffer.concat([Buffer.from('{"tool":"write_note","inputs":{"path":"a","text":"'), Buffer.from([0xff]), Buffer.from('"}}')]);

  test.each(['/v1/calls', '/v1/cases'])('%s', async (path) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { ...EMPTY_JSON, authorization: `Bearer ${gateway.key}` },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: 'urn:countersign:problem:malformed-body', detail: expect.stringContaining('UTF-8') });
  });
});

describe('a body in an unsupported form is refused with the supported one (415)', () => {
  const forms = [
    ['content-encoding', { 'content-encoding': 'gzip' }, gzipSync('{}'), /gzip is not supported.*content-encoding/],
    ['charset', { 'content-type': 'application/json; charset="latin1"' }, '{}', /latin1 is not supported.*UTF-8/],
  ] as const;
  const taking = routes.filter(({ operation }) => operation.requestBody).map(({ method, path }) => [method, path] as const);
  test.each(taking)('%s %s', async (method, path) => {
    for (const [header, headers, body, detail] of forms) {
      const answer = await gateway.send(method, path.replace(/\{\w+\}/g, 'x'), body, headers);
      // This gateway runs without the module of the route, so it does not read the body.
      if (answer.body.detail === 'no route has this path: see /openapi.json') continue;
      expect([header, answer.status, answer.body]).toEqual([
        header,
        415,
        expect.objectContaining({ type: 'urn:countersign:problem:unsupported-media-type', detail: expect.stringMatching(detail) }),
      ]);
      expect(answer.headers.get('accept-encoding')).toBe(header === 'content-encoding' ? 'identity' : null);
    }
  });

  const read: Record<string, string>[] = [{ 'content-encoding': 'identity' }, { 'content-type': 'application/json; charset=UTF-8' }];
  test.each(read)('%j is supported', async (headers) => {
    expect((await gateway.send('POST', '/v1/cases', '{}', headers)).status).toBe(201);
    const note = { tool: 'write_note', inputs: { path: 'form', text: 'é' } };
    expect(await gateway.send('POST', '/v1/calls', note, headers)).toMatchObject({ status: 200, body: { output: { text: 'é' } } });
  });
});

describe('a key that reaches a prototype is refused with its path', () => {
  test.each([
    ['{"tool":"write_note","inputs":{"a":[1,{"__proto__":{}}]}}', '/inputs/a/1/__proto__'],
    ['{"tool":"write_note","\\u005f_proto__":1}', '/__proto__'],
    ['{"constructor":{"prototype":{}}}', '/constructor'],
  ])('%s', async (body, path) => {
    for (const to of ['/v1/calls', '/v1/cases'])
      expect(await gateway.send('POST', to, body)).toMatchObject({
        status: 400,
        body: { type: 'urn:countersign:problem:invalid-request', validation: { issues: [{ path, code: 'prototype_key' }] } },
      });
  });
});

describe('an idempotency key', () => {
  test.each(['', ' padded', 'padded ', 'two\nlines', 'null\0', 'clé', '\ud800', 'x'.repeat(256)])(
    'an idempotency key of a batch is held to what the header can be: %j',
    async (idempotency_key) => {
      const call = { tool: 'write_note', inputs: { path: 'keyed', text: 'x' }, idempotency_key };
      expect(await gateway.send('POST', '/v1/calls:batch', { calls: [call] })).toMatchObject({
        status: 400,
        body: { validation: { issues: [{ path: '/calls/0/idempotency_key' }] } },
      });
    },
  );

  test('in the header and in a batch is the same key', async () => {
    const call = { tool: 'write_note', inputs: { path: 'keyed', text: 'y' } };
    const { body } = await gateway.send('POST', '/v1/calls', call, { 'idempotency-key': '~a key!' });
    const batch = await gateway.send('POST', '/v1/calls:batch', { calls: [{ ...call, idempotency_key: '~a key!' }] });
    expect(JSON.parse(batch.text).call).toMatchObject({ idempotency_key: body.idempotency_key, status: 'succeeded' });
    const bad = await gateway.send('POST', '/v1/calls', call, { 'idempotency-key': 'cl\u00e9' });
    expect(bad).toMatchObject({ status: 400, body: { detail: expect.stringContaining('printable ASCII') } });
  });
});

test('a dependency that is not a call id is refused at once', async () => {
  const answer = await gateway.send('POST', '/v1/calls', {
    tool: 'write_note',
    inputs: { path: 'a', text: 'b' },
    context: { depends_on: ['nope'] },
  });
  expect(answer).toMatchObject({ status: 400, body: { validation: { issues: [{ path: '/context/depends_on/0' }] } } });
});

describe('an unsupported method or path gets a problem document of the same form', () => {
  test.each([
    ['an unknown route', 'GET', '/v1/nothing', undefined, {}, 404, 'route_not_found'],
    ['an unknown route with a body', 'POST', '/v1/nothing', { a: 1 }, {}, 404, 'route_not_found'],
    ['another method', 'PUT', '/v1/calls', undefined, {}, 405, 'method_not_allowed'],
    ['another media type', 'POST', '/v1/calls', 'tool: x', { 'content-type': 'application/yaml' }, 415, 'unsupported_media_type'],
    ['a path that cannot be decoded', 'GET', '/v1/calls/%zz', undefined, {}, 400, 'invalid_request'],
    ['a call that is not known', 'GET', '/v1/calls/nothing', undefined, {}, 404, 'call_not_found'],
  ] as const)('%s', async (_what, method, path, body, headers, status, reason) => {
    const answer = await gateway.send(method, path, body, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json; charset=utf-8']);
    expect(problemSchema.parse(answer.body)).toMatchObject({ status, reason, instance: path });
  });
});
