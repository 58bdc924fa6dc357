import { initialConfiguration } from '@countersign/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { PolicyService } from '../policies/policy.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { KeyRetention } from './key-retention.js';
import { LogDrop } from './log-drop.js';
import { PersonalDataModule } from './personal-data.module.js';
import { SubjectEraser } from './subject-eraser.js';

const state = initialConfiguration();
const configuration = { state, edits: { etag: () => '"c0"' } };
const due = [{ markings: 'pii', before_period: '2026-05', keys: 3 }];
const erased: string[] = [];
const eraser = {
  erase: async (tenant_id: string, subject_id: string, { reason }: { reason: string }) => {
    erased.push(`${tenant_id}/${subject_id}: ${reason}`);
    return { subject: 'ab12', event_id: 'e1', erased_at_ms: 0, offset: 7 };
  },
};

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(PersonalDataModule.of({ seals: true, drops: true }), [
    { provide: ConfigurationService, useValue: configuration },
    { provide: PolicyService, useValue: { configuration } },
    { provide: KeyRetention, useValue: { due: async () => due, apply: async () => [] } },
    { provide: SubjectEraser, useValue: eraser },
    { provide: LogDrop, useValue: {} },
  ]);
});
afterAll(() => app.close());

test('all roles read the rules and retention; a request without a token is refused', async () => {
  expect((await app.send('GET', '/v1/personal-data')).status).toBe(401);
  const rules = await app.send('GET', '/v1/personal-data', { role: 'agent' });
  expect([rules.status, rules.body]).toEqual([200, { items: [], next_cursor: null }]);
  const retention = await app.send('GET', '/v1/retention', { role: 'agent' });
  expect(retention.body).toEqual({ version: 0, floor_months: 6, rules: [], by: null, changed_at: null });
  expect(retention.headers.etag).toBe('"c0"');
  expect((await app.send('GET', '/v1/personal-data/r1', { role: 'agent' })).status).toBe(404);
});

test('only policy admins change them, and only with a valid name and body', async () => {
  expect((await app.send('PUT', '/v1/personal-data/r1', { role: 'approver', body: {} })).status).toBe(403);
  const name = await app.send('PUT', '/v1/personal-data/r%201', { role: 'policy_admin', body: {} });
  expect([name.status, name.body.validation.issues[0].path]).toEqual([400, '/rule_id']);
  const body = await app.send('PUT', '/v1/personal-data/r1', { role: 'policy_admin', body: { inputs: [{ path: 'x' }] } });
  expect([body.status, body.body.validation.issues[0].path]).toEqual([400, '/inputs/0/path']);
  const months = await app.send('PUT', '/v1/retention', { role: 'policy_admin', body: { rules: [{ months: 7 }, { months: 8 }] } });
  expect(months.body.detail).toBe('/rules/1/marking: already has a rule');
});

test('a retention run needs no body; a dry run lists what is due', async () => {
  const run = await app.send('POST', '/v1/retention/runs', { role: 'policy_admin', body: { dry_run: true } });
  expect([run.status, run.body]).toEqual([200, { dry_run: true, cutoffs: due }]);
  const applied = await app.send('POST', '/v1/retention/runs', { role: 'policy_admin' });
  expect([applied.status, applied.body]).toEqual([200, { dry_run: false, cutoffs: [] }]);
});

test('an admin erases a subject with a reason', async () => {
  expect((await app.send('POST', '/v1/subjects/s1/erase', { role: 'policy_admin', body: { reason: 'requested' } })).status).toBe(403);
  expect((await app.send('POST', '/v1/subjects/s1/erase', { role: 'admin' })).status).toBe(400);
  const answer = await app.send('POST', '/v1/subjects/s1/erase', { role: 'admin', body: { reason: 'requested' } });
  expect([answer.status, answer.body.erased_at, answer.body.proof_url]).toEqual([
    200,
    '1970-01-01T00:00:00.000Z',
    '/v1/audit/proof?topic=configuration-changed&partition=0&offset=7',
  ]);
  expect(erased).toEqual(['acme/s1: requested']);
});

test('only admins of the default tenant delete records', async () => {
  const answer = await app.send('POST', '/v1/log/drops', { role: 'admin', body: { keep_months: 12 } });
  expect([answer.status, answer.body.detail]).toEqual([403, 'only admins of tenant default can drop records']);
});
