import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import { HealthServer } from './health-server.js';

let isReady = false;
const metrics = new Registry();
const server = new HealthServer(() => isReady, metrics);
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

test('a service is alive from the start, and ready once it says so', async () => {
  expect(await ask('/healthz')).toEqual([200, '{"status":"alive"}']);
  expect(await ask('/readyz')).toEqual([503, '{"status":"catching_up"}']);
  isReady = true;
  expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}']);
});

test('its metrics are told, and nothing else', async () => {
  expect(await ask('/metrics')).toEqual([200, expect.stringContaining('rulings_total 3')]);
  expect((await ask('/v1/calls'))[0]).toBe(404);
});
