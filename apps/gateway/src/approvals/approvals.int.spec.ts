import { Readable, RecordedCalls, RecordGuard, Views } from '@countersign/calls';
import { initialConfiguration, tenantPart } from '@countersign/domain';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VerifiedTokens } from '../authentication/verified-tokens.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { DecisionLinks } from '../notifications/decision-link.js';
import { PolicyService } from '../policies/policy.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { TrustReader } from '../trust/trust-reader.js';
import { ApprovalsModule } from './approvals.module.js';
import { EditService } from './edit.service.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const state = initialConfiguration();
const clock = { now_ms: () => NOW };
const links = new DecisionLinks({ tenantKey: () => Buffer.alloc(32) }, 'https://gateway.example', clock.now_ms);
const written: string[] = [];
const configuration = { state, clock, edits: { etag: () => '"c0"' }, is_stale: false };
let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const views = { store, current: async () => true };
  const setEverywhere = async (_request: unknown, tenant_id: string, type: string) => void written.push(`${tenant_id} ${type}`);
  app = await FeatureApp.open(ApprovalsModule, [
    { provide: ConfigurationService, useValue: configuration },
    { provide: PolicyService, useValue: { configuration, store, setEverywhere } },
    { provide: Views, useValue: views },
    { provide: RecordedCalls, useValue: { views, commands: { clock } } },
    { provide: EditService, useValue: {} },
    { provide: VerifiedTokens, useValue: { ensure: async () => undefined } },
    { provide: TrustReader, useValue: {} },
    { provide: DecisionLinks, useValue: links },
    { provide: RecordGuard, useValue: { refusal: () => undefined } },
    { provide: Readable, useValue: Readable.plain },
  ]);
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('all roles list approvals, delegations and grants; a request without a token is refused', async () => {
  for (const path of ['/v1/approvals', '/v1/vote-delegations', '/v1/grants']) {
    expect([path, (await app.send('GET', path)).status]).toEqual([path, 401]);
    expect([path, (await app.send('GET', path, { role: 'agent' })).body]).toEqual([path, { items: [], next_cursor: null }]);
  }
  expect((await app.send('GET', '/v1/approvals?status=open', { role: 'agent' })).body.validation.issues[0].path).toBe('/status');
});

test('a vote is validated and needs an existing request; a batch reports the outcome of each vote', async () => {
  const vote = await app.send('POST', '/v1/approvals/a1/votes', { role: 'approver', body: { vote: 'perhaps' } });
  expect([vote.status, vote.body.validation.issues[0].path]).toEqual([400, '/vote']);
  expect((await app.send('POST', '/v1/approvals/a1/votes', { role: 'approver', body: { vote: 'approve' } })).status).toBe(404);
  const many = await app.send('POST', '/v1/approvals/votes', {
    role: 'approver',
    body: { approval_ids: ['a1', 'a1', 'a2'], vote: 'deny' },
  });
  expect(
    many.body.items.map(({ approval_id, status, problem }: Record<string, { instance: string }>) => [
      approval_id,
      status,
      problem?.instance,
    ]),
  ).toEqual([
    ['a1', 404, '/v1/approvals/a1/votes'],
    ['a2', 404, '/v1/approvals/a2/votes'],
  ]);
});

test('approval quality is visible to operators and auditors only', async () => {
  expect((await app.send('GET', '/v1/approvals/quality', { role: 'approver' })).status).toBe(403);
  expect((await app.send('GET', '/v1/approvals/quality?days=0', { role: 'auditor' })).body.validation.issues[0].path).toBe('/days');
  const { body } = await app.send('GET', '/v1/approvals/quality?days=1&price_of_hour=60', { role: 'auditor' });
  expect(body).toMatchObject({
    starts_at: '2026-11-19T12:00:00.000Z',
    since: '2026-11-19T12:00:00.000Z',
    truncated: false,
    all: { decisions: 0, cost: 0 },
    approvers: [],
    rules: [],
  });
});

test('the summary counts pending requests of the tenant by tier and roles, with the oldest time', async () => {
  const summary = async () => (await app.send('GET', '/v1/approvals/summary', { role: 'approver' })).body;
  expect((await app.send('GET', '/v1/approvals/summary')).status).toBe(401);
  expect(await summary()).toEqual({ pending: 0, oldest_pending_at: null, truncated: false, groups: [] });
  const add = (tenant_id: string, id: string, at_ms: number | null, roles: string[], end_kind: string | null = null) =>
    store.query({
      text: `INSERT INTO approvals (tenant_id, approval_id, partition, call_uuid, revision, requested_at_ms, expires_at_ms, requirement, end_kind)
             VALUES ($1, $2, 0, gen_random_uuid(), 1, $3, $3, $4, $5)`,
      params: [tenant_id, id, at_ms, JSON.stringify({ approver_roles: roles, evidence: { tier: 'tier_2_approval_required' } }), end_kind],
    });
  await add('acme', 's1', NOW - 2000, ['approver']);
  await add('acme', 's2', NOW - 9000, ['approver']);
  await add('acme', 's3', NOW - 5000, ['lawyer']);
  await add('acme', 'ended', NOW - 60_000, ['approver'], 'granted');
  await add('acme', 'unread', null, ['approver']);
  await add('rival', 'other', NOW - 60_000, ['approver']);
  const oldest = new Date(NOW - 9000).toISOString();
  const tier = 'tier_2_approval_required';
  expect(await summary()).toEqual({
    pending: 3,
    oldest_pending_at: oldest,
    truncated: false,
    groups: [
      { tier, approver_roles: ['approver'], pending: 2, oldest_pending_at: oldest },
      { tier, approver_roles: ['lawyer'], pending: 1, oldest_pending_at: new Date(NOW - 5000).toISOString() },
    ],
  });
  await store.query({ text: 'DELETE FROM approvals', params: [] });
});

test('a grant has starts_at and expires_at, and the earlier name of starts_at', async () => {
  const of = {
    grant_id: 'g1',
    approval_id: 'a1',
    tool: 'pay',
    version: '1.0.0',
    contract_digest: 'd',
    scope: 'tool',
    case_id: null,
    run_id: null,
  };
  const who = { principal_id: 'bot', granted_by: ['ann'], rule: 'ask', rules: ['ask'], mapping_version: null, uses: 2 };
  const grant = { ...of, ...who, inputs: { amounts: [] }, from_ms: NOW - 1000, expires_at_ms: NOW + 1000 };
  const { grants } = tenantPart(state, 'acme');
  grants.set('g1', { grant, revoked: false } as never);
  const [answer] = (await app.send('GET', '/v1/grants', { role: 'agent' })).body.items;
  const starts_at = new Date(NOW - 1000).toISOString();
  expect(answer).toMatchObject({ status: 'active', starts_at, from_time: starts_at, expires_at: new Date(NOW + 1000).toISOString() });
  grants.delete('g1');
});

test('a person delegates votes for a future period', async () => {
  const over = await app.send('POST', '/v1/vote-delegations', { role: 'approver', body: { to: 'bob', until: '2026-11-19T00:00:00Z' } });
  expect([over.status, over.body.detail]).toEqual([400, '`expires_at` must be in the future and after `starts_at`']);
  const made = await app.send('POST', '/v1/vote-delegations', { role: 'approver', body: { to: 'bob', until: '2026-11-21T00:00:00Z' } });
  expect([made.status, made.body.from, made.body.to, made.headers.etag]).toEqual([
    201,
    { id: 'approver', roles: ['approver'] },
    'bob',
    '"c0"',
  ]);
  expect(made.headers.location).toBe(`/v1/vote-delegations/${made.body.delegation_id}`);
  expect(written).toEqual(['acme delegation_set']);
});

test('a delegation accepts and returns starts_at and expires_at, and their earlier names', async () => {
  const [from, to] = ['2026-11-20T18:00:00.000Z', '2026-11-21T00:00:00.000Z'];
  const give = (times: object) => app.send('POST', '/v1/vote-delegations', { role: 'approver', body: { to: 'bob', ...times } });
  for (const times of [
    { starts_at: from, expires_at: to },
    { from_time: from, until: to },
  ])
    expect((await give(times)).body).toMatchObject({ starts_at: from, from_time: from, expires_at: to, until: to });
  for (const [times, path] of [
    [{}, '/expires_at'],
    [{ until: to, expires_at: to }, '/expires_at'],
    [{ until: to, starts_at: from, from_time: from }, '/from_time'],
    [{ expires_at: 'tomorrow' }, '/expires_at'],
  ] as const) {
    const { status, body } = await give(times);
    expect([times, status, body.validation.issues[0].path]).toEqual([times, 400, path]);
  }
});

test('a decision link needs no key, but its channel must still have acts_as', async () => {
  const claims = { tenant_id: 'acme', approval_id: 'a1', webhook_id: 'w1', expires_at_ms: NOW + 1000 };
  const decide = (token: string) => app.send('POST', '/v1/decisions', { body: { token, vote: 'approve' } });
  expect((await decide('x.y')).body.detail).toBe('the link was not issued by this installation, or was altered');
  expect((await decide(links.token({ ...claims, expires_at_ms: NOW }))).body.detail).toBe('the link has expired');
  expect((await decide(links.token(claims))).body.detail).toBe('the channel of this link no longer has `acts_as`');
  expect((await app.send('GET', `/v1/decisions?token=${links.token(claims)}`)).status).toBe(403);
  expect((await app.send('GET', '/v1/decisions')).status).toBe(403);
  const acts_as = { kind: 'user', id: 'carl', roles: ['approver'] };
  tenantPart(state, 'acme').webhooks.set('w1', { state: 'active', acts_as } as never);
  expect((await decide(links.token(claims))).body.detail).toMatch(/^carl, whom the channel of this link acts as/);
});
