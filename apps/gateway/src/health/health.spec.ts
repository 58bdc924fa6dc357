import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { HealthModule } from './health.module.js';
import { HealthService } from './health.service.js';

const now = {
  log: { health: 'open' as 'open' | 'full' },
  caught_up: true,
  unhealthy: [] as { pack: string; reason: string }[],
  local: true,
};
const damage = { open: [] as unknown[] };

let app: FeatureApp;
beforeAll(async () => {
  const packs = { unhealthy: async () => now.unhealthy };
  const access = { admits: () => now.local };
  const service = new HealthService(
    () => now.caught_up,
    { log: now.log, damage: damage as never },
    new Registry(),
    access as never,
    packs as never,
  );
  app = await FeatureApp.open([HealthModule], [{ provide: HealthService, useValue: service }]);
});
beforeEach(() => {
  Object.assign(now, { caught_up: true, unhealthy: [], local: true });
  now.log.health = 'open';
  damage.open = [];
});
afterAll(() => app.close());
const ready = () => app.send('GET', '/readyz');

test('it is alive without a token, and ready once it has caught up', async () => {
  expect(await app.send('GET', '/healthz')).toMatchObject({ status: 200, text: '{"status":"alive"}' });
  expect(await ready()).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  now.caught_up = false;
  expect(await ready()).toMatchObject({ status: 503, text: '{"status":"catching_up"}', headers: { 'retry-after': '1' } });
  now.log.health = 'full';
  expect(await ready()).toMatchObject({ status: 503, text: '{"status":"log_full"}' });
});

test('a damaged record and unusable packs are reported, and requests are served', async () => {
  damage.open = [{}];
  now.unhealthy = [{ pack: 'erp', reason: 'it does not start' }];
  expect(await ready()).toMatchObject({ status: 200, text: '{"status":"tampered","unhealthy_packs":["erp"]}' });
});

test('metrics are for localhost and for auditors', async () => {
  expect((await app.send('GET', '/metrics')).headers['content-type']).toMatch(/^text\/plain/);
  now.local = false;
  expect((await app.send('GET', '/metrics')).status).toBe(401);
  expect((await app.send('GET', '/metrics', { role: 'agent' })).status).toBe(403);
  expect((await app.send('GET', '/metrics', { role: 'auditor' })).status).toBe(200);
});
