import { AnsweredPositions, Views } from '@countersign/calls';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { MappingsModule } from './mappings.module.js';

let app: FeatureApp;
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  app = await FeatureApp.open(
    [MappingsModule],
    [
      { provide: ConfigurationService, useValue: MemoryConfiguration.service(store) },
      { provide: Views, useValue: new Views(store, new AnsweredPositions(), () => 0) },
    ],
  );
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('without a token it is 401, and without the role 403', async () => {
  expect((await app.send('GET', '/v1/mappings')).status).toBe(401);
  expect((await app.send('PUT', '/v1/mappings/*', { role: 'operator', body: {} })).status).toBe(403);
});

test('a faulty definition is refused with the paths of its faults', async () => {
  const answer = await app.send('PUT', '/v1/mappings/*', { role: 'tool_author', body: { mode: 'lax', inputs: [{ from: 1 }] } });
  expect(answer.body.validation.issues.map(({ path }: { path: string }) => path)).toEqual(['/mode', '/inputs/0/from']);
  const unknown = await app.send('PUT', '/v1/mappings/no_tool', { role: 'tool_author', body: { inputs: [] } });
  expect([unknown.status, unknown.body.type]).toEqual([404, 'urn:countersign:problem:unknown-tool']);
});

test('a mapping is published, read with its ETag, rolled back and tried on documents', async () => {
  const role = 'tool_author' as const;
  const first = await app.send('PUT', '/v1/mappings/*', { role, body: { mode: 'permissive' } });
  expect(first.body).toMatchObject({ tool: '*', version: 1, definition: { mode: 'permissive', inputs: [] }, needs_activation: [] });
  await app.send('PUT', '/v1/mappings/*', { role, body: { mode: 'strict' } });
  const back = await app.send('POST', '/v1/mappings/*/rollback', { role, body: { version: 1 } });
  expect(back.body).toMatchObject({ version: 3, rolled_back_to: 1, state: 'activated' });
  const read = await app.send('GET', '/v1/mappings/*', { role: 'agent' });
  expect([read.body.in_force_version, read.headers.etag]).toEqual([3, back.headers.etag]);
  const definition = { inputs: [{ from: '/a', to: '/b' }] };
  const tried = await app.send('POST', '/v1/mappings:try', { role, body: { tool: '*', definition, inputs: [{ a: 7 }] } });
  expect(tried.body).toMatchObject({ inputs: [{ call_id: null, from: { a: 7 }, to: { b: 7 }, issues: [] }], failed: 0, erased: 0 });
});
