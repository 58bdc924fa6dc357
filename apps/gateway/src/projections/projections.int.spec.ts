import { AnsweredPositions, type Caller, Views } from '@countersign/calls';
import { createLogger } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { RequestAccess } from '../http/request-access.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { ProjectionsModule } from './projections.module.js';

let acme: FeatureApp;
let operators: FeatureApp;
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const shared = [
    { provide: ConfigurationService, useValue: MemoryConfiguration.service(store) },
    { provide: Views, useValue: new Views(store, new AnsweredPositions(), () => 0) },
  ];
  acme = await FeatureApp.open([ProjectionsModule], shared);
  const caller = { tenant_id: 'default', principal: { kind: 'user', id: 'olga', roles: ['operator'] } } as unknown as Caller;
  const authenticator = { caller: () => caller };
  const access = new RequestAccess(authenticator as never, createLogger('gateway', 'silent'), { note: () => undefined } as never);
  operators = await FeatureApp.open([ProjectionsModule], [...shared, { provide: RequestAccess, useValue: access }]);
}, 60_000);
afterAll(async () => {
  await acme.close();
  await operators.close();
  await store.close();
});

test('without a token it is 401, and without the role or in another tenant 403', async () => {
  expect((await acme.send('GET', '/v1/projections')).status).toBe(401);
  expect((await acme.send('GET', '/v1/projections', { role: 'agent' })).status).toBe(403);
  const { status, body } = await acme.send('GET', '/v1/projections', { role: 'operator' });
  expect([status, body.detail]).toEqual([403, 'projections can be administered only in tenant default']);
});

test('projections are listed, digested and rebuilt; an invalid limit is refused', async () => {
  expect((await operators.send('GET', '/v1/projections?limit=five')).body.validation.issues[0].path).toBe('/limit');
  const { body } = await operators.send('GET', '/v1/projections?limit=1');
  const [{ name, tables, status }] = body.items;
  expect([status, typeof body.next_cursor]).toEqual(['live', 'string']);
  const digest = await operators.send('GET', `/v1/projections/${name}/digest`);
  expect(digest.body.tables.map(({ table }: { table: string }) => table)).toEqual(tables);
  const rebuild = await operators.send('POST', `/v1/projections/${name}/rebuild`);
  expect([rebuild.status, rebuild.headers.location, rebuild.headers['countersign-position']]).toEqual([
    202,
    `/v1/projections/${name}`,
    `configuration-changed:0:${rebuild.body.asked_offset}`,
  ]);
  expect((await operators.send('POST', '/v1/projections/none/rebuild')).status).toBe(404);
});
