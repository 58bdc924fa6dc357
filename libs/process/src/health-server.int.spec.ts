import { Counter, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HealthServer, type Readiness } from './health-server.js';

let readiness: Readiness = 'catching_up';
const metrics = new Registry();
const server = new HealthServer(() => readiness, metrics);
let base: string;
beforeAll(async () => {
  new Counter({ name: 'rulings_total', help: 'made for the spec', registers: [metrics] }).inc(3);
  base = `http://127.0.0.1:${await server.listen(0)}`;
});
afterAll(() => server.close());

const ask = async (url: string): Promise<[number, string]> => {
  const answer = await fetch(base + url);
  return [answer.status, await answer.text()];
};

test('a service is alive from the start, and ready once it reports so', async () => {
  expect(await ask('/healthz')).toEqual([200, '{"status":"alive"}']);
  expect(await ask('/readyz')).toEqual([503, '{"status":"catching_up"}']);
  readiness = 'ready';
  expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}']);
});

test('a damaged log is reported and stops no service', async () => {
  readiness = 'tampered';
  expect(await ask('/readyz')).toEqual([200, '{"status":"tampered"}']);
});

test('it serves its metrics and nothing else', async () => {
  expect(await ask('/metrics')).toEqual([200, expect.stringContaining('rulings_total 3')]);
  expect((await ask('/v1/calls'))[0]).toBe(404);
});

test('a method other than GET and HEAD is refused', async () => {
  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const answer = await fetch(`${base}/metrics`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
  const head = await fetch(`${base}/healthz`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('metrics are available to this machine and with the metrics token', async () => {
  const guarded = new HealthServer(() => 'ready', metrics, 'a-token-of-metrics');
  const url = `http://127.0.0.1:${await guarded.listen(0)}/metrics`;
  // A proxy on this machine forwards requests of remote clients.
  const status = async (authorization: string | undefined, at = url) => {
    const headers = { 'x-forwarded-for': '192.0.2.1', ...(authorization ? { authorization } : {}) };
    return (await fetch(at, { headers })).status;
  };
  expect(await status(undefined)).toBe(401);
  expect(await status('Bearer another-token')).toBe(401);
  expect(await status('Basic a-token-of-metrics')).toBe(401);
  expect(await status('Bearer a-token-of-metrics')).toBe(200);
  expect(await status('Bearer undefined', `${base}/metrics`)).toBe(401);
  await guarded.close();
});
