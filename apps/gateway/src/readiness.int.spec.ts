import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from './start-gateway.js';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(() => gateway.close(), 30_000);

test('health, readiness and metrics answer without a token', async () => {
  for (const url of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/asyncapi.json'])
    expect((await fetch(gateway.url + url)).status).toBe(200);
});

test('readiness waits for the other services of its process', async () => {
  let others = false;
  const terms = { host: '127.0.0.1', port: 0, callback_allow_private: true, lanes: ['shared'], data_dir: gateway.dir };
  const second = await startGateway({ ...gateway.deps, metrics: new Registry() }, terms, { ready: () => others });
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${second.port}/readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await ready()).toEqual([503, { status: 'catching_up' }]);
  others = true;
  expect(await ready()).toEqual([200, { status: 'ready' }]);
  await second.close();
});
