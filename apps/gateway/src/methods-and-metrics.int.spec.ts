import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from './testing/api-document.js';
import { RawConnection } from './testing/raw-connection.js';
import { TestGateway } from './testing/test-gateway.js';

const routes = await allRoutes();

const TOKEN = 'a-token-of-metrics';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open({ metrics_token: TOKEN });
}, 60_000);
afterAll(() => gateway.close(), 30_000);

const auth = (key: string) => ({ authorization: `Bearer ${key}` });

describe('methods', () => {
  test.each([
    ['PUT', '/v1/calls', 'GET, HEAD, POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['OPTIONS', '/v1/calls:batch', 'POST'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['HEAD', '/v1/calls:batch', 'POST'],
    ['PROPFIND', '/v1/tools', 'GET, HEAD, POST'],
  ])('%s %s is refused with those that are taken', async (method, path, allow) => {
    const answer = await gateway.send(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    if (method === 'HEAD') return;
    expect(answer.body).toMatchObject({ type: 'urn:countersign:problem:method-not-allowed', detail: expect.stringContaining(method) });
  });

  test('every route answers an unsupported method with its supported ones', async () => {
    const missed = async (path: string) => {
      const { status, headers } = await gateway.send('PURGE', path.replace(/\{\w+\}/g, 'x'));
      const allow = headers.get('allow')?.split(', ') ?? [];
      const own = routes.filter((route) => route.path === path).map(({ method }) => method);
      // 404: this gateway runs without the module of the route.
      return status === 404 || (status === 405 && own.every((method) => allow.includes(method))) ? [] : [`${path}: ${status} ${allow}`];
    };
    const paths = [...new Set(routes.map(({ path }) => path))];
    expect(await Promise.all(paths.map(missed)).then((all) => all.flat())).toEqual([]);
  });

  test('every path of the document takes the methods that the document states for it, and no others', async () => {
    const paths = [...new Set(routes.map(({ path }) => path))];
    const stated = (path: string) =>
      routes.filter((route) => route.path === path).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const differing = async (path: string) => {
      const concrete = path.replace(/\{\w+\}/g, 'x');
      const { status, headers } = await gateway.send('OPTIONS', concrete);
      const own = stated(path).sort().join(', ');
      // 404: this gateway runs without the module of the route.
      return status === 404 || headers.get('allow') === own ? [] : [`${path}: ${headers.get('allow')}, but ${own} is stated`];
    };
    expect((await Promise.all(paths.map(differing))).flat()).toEqual([]);
  });

  test('a fixed path beside one with a parameter is not served by that one', async () => {
    const parametric = routes.filter(({ path }) => path.endsWith('}'));
    const fixed = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes('{'));
    const hidden = fixed.flatMap((path) => {
      const beside = parametric.filter((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
      return beside
        .map(({ method }) => ({ method, path }))
        .filter((one) => !routes.some((route) => route.method === one.method && route.path === one.path));
    });
    expect(hidden.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['GET /v1/approvals/votes', 'PUT /v1/webhooks/secret']),
    );
    for (const { method, path } of hidden) {
      const answer = await gateway.send(method, path, method === 'PUT' ? { url: 'https://a.example.com' } : undefined);
      expect([method, path, answer.status, answer.headers.get('allow')?.includes(method)]).toEqual([method, path, 405, false]);
    }
  });

  test('HEAD is answered like GET, without the body', async () => {
    for (const path of ['/healthz', '/v1/tools', '/openapi.json']) {
      const [get, head] = [await gateway.send('GET', path), await gateway.send('HEAD', path)];
      expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', get.headers.get('content-type')]);
    }
    expect((await gateway.send('HEAD', '/v1/tools', undefined, {}, 'csk_nobody')).status).toBe(401);
  });

  test('an unknown path is 404 before its body is read', async () => {
    const connection = await RawConnection.open(gateway.running.port);
    await connection.post('/v1/nothing', { 'content-length': 1_000_000 }).answered();
    expect(connection.problem).toMatchObject({ type: 'urn:countersign:problem:not-found', status: 404 });
    connection.close();
  });
});

describe('metrics', () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((done, failed) => {
      request(`${gateway.url}/metrics`, { headers }, (answer) => {
        answer.resume();
        done(answer.statusCode);
      })
        .on('error', failed)
        .end();
    });

  test('are for localhost, the metrics token and auditors; a local proxy does not count as localhost', async () => {
    const proxied = { 'x-forwarded-for': '192.0.2.1' };
    expect(await ask({})).toBe(200);
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) expect(await ask({ [name]: '127.0.0.1' })).toBe(401);
    expect(await ask({ ...proxied, ...auth(await gateway.keyFor('sender', ['agent'])) })).toBe(403);
    expect(await ask({ ...proxied, ...auth(await gateway.keyFor('reader', ['auditor'])) })).toBe(200);
    expect(await ask({ ...proxied, ...auth(TOKEN) })).toBe(200);
    expect(await ask({ ...proxied, ...auth(`${TOKEN}-`) })).toBe(401);
  });
});
