import { Views } from '@countersign/calls';
import { sampleContract } from '@countersign/calls/testing/samples';
import type { EventMap } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { HealthService } from '../health/health.service.js';
import { PolicyService } from '../policies/policy.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { TrustReader } from '../trust/trust-reader.js';
import { ToolsModule } from './tools.module.js';

const state = initialConfiguration();
let offset = 0;
function fold<T extends keyof EventMap>(event_type: T, event: Partial<EventMap[T]>, topic = 'configuration-changed'): void {
  const by = { kind: 'user', id: 'root', roles: ['admin'] };
  const at = { event_type, event: { meta: { tenant_id: 'acme' }, by, changed_at_ms: 5, ...event }, topic, partition: 0, offset: offset++ };
  evolveConfiguration(state, { ...at, timestamp_ms: 1 } as unknown as PlacedEvent);
}
fold('tenant_set', { lane: 'shared', weight: 1, running_max: 1, in_flight_max: 1 });
for (const name of ['write_note', 'read_note']) {
  const contract = sampleContract({ name, effect_class: name === 'read_note' ? 'read_internal' : 'stage' });
  const registered = { name, version: '1.2.0', digest: 'd', contract_json: JSON.stringify(contract), lanes: ['shared'] };
  fold('tool_registered', { ...registered, executor_id: 'e1', registered_at_ms: 7, gated: false }, 'tool-registered');
}
fold('tool_policy_set', {
  ...{ tool: 'write_note', tier: 'tier_3_blocked', rule_id: 'no', approver_roles: ['approver'], quorum: 1 },
  ...{ expires_after_ms: null, requirement: null },
});

const configuration = { state, edits: { etag: () => '"c3"' }, clock: { now_ms: () => 5 } };
const nothing = { trust_score: null, rating: null, usage: null, verified_at_ms: null, circuit: 'open' };

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [ToolsModule],
    [
      { provide: ConfigurationService, useValue: configuration },
      { provide: PolicyService, useValue: { configuration } },
      { provide: TrustReader, useValue: { measured: async () => () => nothing } },
      { provide: Views, useValue: { current: async () => true } },
      { provide: HealthService, useValue: { packs: { unhealthy: async () => [{ pack: 'erp', reason: 'it does not start' }] } } },
    ],
  );
});
afterAll(() => app.close());
const get = (url: string, role: 'agent' | 'operator' = 'agent') => app.send('GET', url, { role });

test('tools are listed by filters, with the unusable packs', async () => {
  const { status, body } = await get('/v1/tools?effect_class=stage');
  expect([status, body.items.length, body.unhealthy_packs]).toEqual([200, 1, [{ pack: 'erp', reason: 'it does not start' }]]);
  expect(body.items[0]).toMatchObject({ name: 'write_note', tier: 'tier_3_blocked', effect_class: 'stage', lifecycle: 'active' });
  expect((await get('/v1/tools?lifecycle=blocked')).body.items).toEqual([]);
  expect((await get('/v1/tools?lifecycle=gone')).status).toBe(400);
});

test('the record of a version shows its circuit', async () => {
  expect((await get('/v1/tools/write_note/versions/1.2.0')).body).toMatchObject({ circuit: 'open' });
});

test('a listed tool is a summary; its versions are expanded, and fields returns exactly the named members', async () => {
  const first = async (query: string) => (await get(`/v1/tools?effect_class=stage&${query}`)).body.items[0];
  expect(await first('limit=5')).not.toHaveProperty('versions');
  expect(await first('expand=versions')).toMatchObject({ name: 'write_note', versions: [{ lifecycle: 'active', rating: null }] });
  expect(await first('expand=*')).toEqual((await get('/v1/tools/write_note')).body);
  expect(await first('fields=name,tier')).toEqual({ name: 'write_note', tier: 'tier_3_blocked' });
  const unknown = await get('/v1/tools?fields=name,input_schema');
  expect([unknown.status, unknown.body.code, unknown.body.validation.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', '/fields/1']);
  expect(unknown.body.validation.issues[0].message).toContain('"refused_registrations"');
});

test('a tool, its versions and one of them are read; searches rank them', async () => {
  expect((await get('/v1/tools/read_note')).body).toMatchObject({ name: 'read_note', version: '1.2.0' });
  expect((await get('/v1/tools/read_note/versions')).body.items).toMatchObject([{ version: '1.2.0' }]);
  expect((await get('/v1/tools/read_note/versions/1.2.0')).headers.etag).toBe('"c3"');
  expect((await get('/v1/tools:search?q=read')).body).toMatchObject({ total_candidates: 2, items: [{ name: 'read_note' }] });
  expect((await get('/v1/tools:search?min_trust=2')).body.validation.issues[0].path).toBe('/min_trust');
  expect((await get('/v1/tools/none')).status).toBe(404);
});

test('tiers are read with their ETags, and adapters by operators', async () => {
  expect((await get('/v1/policies/tools/write_note')).body).toMatchObject({
    tool: 'write_note',
    tier: 'tier_3_blocked',
    requirement: null,
  });
  expect((await get('/v1/policies/tools')).body.items).toMatchObject([{ tool: 'write_note', etag: '"c3"' }]);
  expect((await get('/v1/adapters')).status).toBe(403);
  expect((await get('/v1/adapters', 'operator')).body).toEqual({ items: [], next_cursor: null });
});

test('a lifecycle decision needs its role and a valid body', async () => {
  const put = (what: string, role: 'agent' | 'policy_admin' | 'auditor', body: unknown) =>
    app.send('PUT', `/v1/tools/read_note/versions/1.2.0/${what}`, { role, body });
  expect((await put('lifecycle', 'agent', { state: 'blocked' })).status).toBe(403);
  expect((await put('lifecycle', 'policy_admin', { state: 'gone' })).body.validation.issues[0].path).toBe('/state');
  expect((await put('audit', 'policy_admin', { audit_status: 'unaudited' })).status).toBe(403);
  expect((await app.send('GET', '/v1/tools')).status).toBe(401);
});
