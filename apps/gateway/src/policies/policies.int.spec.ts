import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FeatureApp } from '../testing/feature-app.js';
import { PoliciesApp } from '../testing/policies-app.js';

let opened: PoliciesApp;
let app: FeatureApp;
beforeAll(async () => {
  opened = await PoliciesApp.open();
  app = opened.app;
}, 60_000);
afterAll(() => opened?.close());

const role = 'policy_admin' as const;
const publish = (body: unknown) => app.send('POST', '/v1/policies', { role, body });

test('without a token it is 401, and without the role 403', async () => {
  expect((await app.send('GET', '/v1/policies')).status).toBe(401);
  expect((await app.send('POST', '/v1/policies', { role: 'operator', body: { rules: [] } })).status).toBe(403);
  expect((await app.send('POST', '/v1/policies:simulate', { role: 'operator', body: {} })).status).toBe(403);
});

test('each fault of a body with rules names its rule', async () => {
  const { status, body } = await publish({ rules: [{ id: 'r1', effect: 'perhaps' }] });
  expect([status, body.type]).toEqual([422, 'urn:countersign:problem:unusable-policy']);
  expect(body.validation.issues).toMatchObject([{ path: '/rules/0/effect', rule: 'r1' }]);
});

test('a policy is published, simulated, activated with its current ETag, and rolled back', async () => {
  const made = await publish({ version: 'v1', rules: [] });
  expect([made.status, made.headers.location, made.body.warnings, made.body.active]).toEqual([201, '/v1/policies/v1', [], false]);
  expect((await publish({ version: 'v1', rules: [], description: 'other' })).status).toBe(409);
  const simulated = await app.send('POST', '/v1/policies:simulate', { role: 'auditor', body: { version: 'v1' } });
  expect(simulated.body).toMatchObject({ calls: 0, differences: [], bundle_digest: made.body.digest });
  const before = await app.send('GET', '/v1/policies/active', { role: 'agent' });
  const headers = { 'if-match': before.headers.etag };
  expect((await app.send('PUT', '/v1/policies/active', { role, body: { version: 'v1' }, headers })).body.version).toBe('v1');
  expect((await app.send('PUT', '/v1/policies/active', { role, body: { version: null }, headers })).status).toBe(412);
  const back = await app.send('POST', '/v1/policies:rollback', { role });
  expect([back.status, back.body.version, back.body.history.length, back.body.instances]).toEqual([200, null, 2, []]);
  expect((await app.send('GET', '/v1/policies/v1', { role: 'agent' })).body.bundle).toEqual({ rules: [] });
});

test('changed settings are read back', async () => {
  const body = { simulation_required: true };
  expect((await app.send('PUT', '/v1/policies/settings', { role, body })).body).toEqual({ ...body, single_policy_admin: false });
  expect((await publish({ version: 'v2', rules: [] })).body.type).toBe('urn:countersign:problem:simulation-required');
});
