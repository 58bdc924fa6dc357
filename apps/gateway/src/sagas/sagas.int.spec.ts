import { AnsweredPositions, Views } from '@countersign/calls';
import { PgliteStore, stableTables, upsertSagas } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { SagasModule } from './sagas.module.js';

let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const started = { definition: 'order', definition_version: '1', steps: '[]', started_by: '{"kind":"agent","id":"a","roles":[]}' };
  const ended = { compensating: false, end_status: null, failed_step_id: null, end_reason: null, error: null, ended_at_ms: null };
  const row = { tenant_id: 'acme', saga_id: 's1', case_id: 'c1', ...started, started_at_ms: 1_000, ...ended };
  const place = { source_partition: 0, source_offset: 1 };
  await store.query(stableTables(['sagas']).bind(upsertSagas([{ ...row, ...place }])));
  const views = new Views(store, new AnsweredPositions(), () => 0);
  app = await FeatureApp.open([SagasModule], [{ provide: Views, useValue: views }]);
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('a saga is listed and read with its steps', async () => {
  const { body } = await app.send('GET', '/v1/sagas?status=running&case_id=c1', { role: 'agent' });
  expect(body.items).toMatchObject([{ saga_id: 's1', status: 'running', definition: { name: 'order', version: '1' }, error: null }]);
  expect((await app.send('GET', '/v1/sagas/s1', { role: 'agent' })).body).toEqual({ ...body.items[0], defined_steps: [], steps: [] });
});

test('an unknown saga is 404, an unknown status is refused, and a token is required', async () => {
  expect((await app.send('GET', '/v1/sagas/none', { role: 'agent' })).status).toBe(404);
  expect((await app.send('GET', '/v1/sagas?status=gone', { role: 'agent' })).body.validation.issues[0].path).toBe('/status');
  expect((await app.send('GET', '/v1/sagas')).status).toBe(401);
});
