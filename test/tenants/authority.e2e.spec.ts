import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

const SCOPE = 'tool.probe_marked.invoke';
const MARKING = 'pii.medium';
const PURPOSE = 'claims.adjustment';

let platform: EmbeddedPlatform;
let admin: Api;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  admin = platform.admin();
});
afterAll(() => platform?.close());

type Body = Record<string, unknown>;
let serial = 0;

async function keyFor(kind: string, id: string, roles: string[], rights: Body = {}): Promise<Api> {
  const { status, body } = await admin.request<{ key: string }>('POST', '/v1/keys', { principal: { kind, id, roles }, ...rights });
  expect(status).toBe(201);
  return admin.as(body.key);
}
const read = (by: Api, more: Body = {}, text = `t${serial++}`) =>
  by.request<Body>('POST', '/v1/calls', { tool: 'probe_marked', inputs: { text }, context: { purpose: PURPOSE }, ...more });
const ruleOf = (body: Body) => [body.status, (body.decision as Body | null)?.rule, (body.error as Body | null)?.code];

test('a call without a scope, a clearance or a purpose is denied on the record, with the rule that denied it', async () => {
  const able = await keyFor('agent', 'able', ['agent'], { scopes: [SCOPE], clearances: [MARKING] });
  expect((await read(able)).body).toMatchObject({ status: 'succeeded', markings: [MARKING], purpose: PURPOSE });
  const unscoped = await keyFor('agent', 'unscoped', ['agent'], { scopes: ['other'], clearances: [MARKING] });
  expect(ruleOf((await read(unscoped)).body)).toEqual(['denied', 'authority.scopes', 'POLICY_DENIED']);
  const uncleared = await keyFor('agent', 'uncleared', ['agent'], { scopes: [SCOPE] });
  expect(ruleOf((await read(uncleared)).body)).toEqual(['denied', 'authority.clearances', 'POLICY_DENIED']);
  expect(ruleOf((await read(able, { context: {} })).body)).toEqual(['denied', 'authority.purposes', 'POLICY_DENIED']);
  expect(ruleOf((await read(able, { context: { purpose: 'marketing' } })).body)).toEqual(['denied', 'authority.purposes', 'POLICY_DENIED']);
  const bound = await keyFor('agent', 'bound', ['agent'], { clearances: [MARKING], purposes: ['underwriting.review'] });
  expect(ruleOf((await read(bound)).body)).toEqual(['denied', 'authority.purposes', 'POLICY_DENIED']);
  expect((await read(bound, { context: { purpose: 'underwriting.review' } })).body.status).toBe('succeeded');
});

test('no policy of a tenant overrides a missing scope or clearance', async () => {
  await admin.request('PUT', '/v1/policies/tools/probe_marked', { tier: 'tier_0_safe' });
  const nobody = await keyFor('agent', 'nobody', ['agent']);
  expect((await read(nobody)).body.status).toBe('denied');
  await admin.request('DELETE', '/v1/policies/tools/probe_marked');
});

test('an agent that acts for a user has the rights that both have', async () => {
  const agent = await keyFor('agent', 'deputy', ['agent'], { scopes: [SCOPE, 'x'], clearances: [MARKING, 'y'] });
  const cleared = await keyFor('user', 'cleared', ['operator'], { scopes: [SCOPE], clearances: [MARKING] });
  const plain = await keyFor('user', 'plain', ['operator'], { scopes: [SCOPE] });
  for (const user of [cleared, plain])
    expect((await user.request('POST', '/v1/delegations', { agent_id: 'deputy', clearances: ['*'] })).status).toBe(201);
  const forCleared = (await read(agent, { on_behalf_of: 'cleared' })).body;
  expect(forCleared).toMatchObject({ status: 'succeeded', principal: { id: 'deputy' }, on_behalf_of: { id: 'cleared' } });
  expect(ruleOf((await read(agent, { on_behalf_of: 'plain' })).body)).toEqual(['denied', 'authority.clearances', 'POLICY_DENIED']);
});

test('a result has the markings of its sources, is withheld from readers without clearance, and cannot be a source for them', async () => {
  const able = await keyFor('agent', 'reader', ['agent'], { clearances: [MARKING] });
  const blind = await keyFor('user', 'blind', ['operator', 'agent']);
  const { case_id } = (await able.request<{ case_id: string }>('POST', '/v1/cases', { title: 'marked' })).body;
  const source = (await read(able, { case_id }, 'Ida Sample')).body;
  const more = { tool: 'probe_effect', inputs: { account: 'a', amount: 1, note: 'about Ida Sample' }, sources: [source.call_id], case_id };
  const derived = (await able.request<Body>('POST', '/v1/calls', more)).body;
  expect(derived).toMatchObject({ status: 'succeeded', markings: [MARKING], sources: [source.call_id] });
  expect((await able.request<Body>('GET', `/v1/calls/${derived.call_id}`)).body).toMatchObject({ input: { note: 'about Ida Sample' } });
  const seen = (await blind.request<Body>('GET', `/v1/calls/${derived.call_id}`)).body;
  expect(seen).toMatchObject({ status: 'succeeded', input: null, output: null, withheld: [MARKING], markings: [MARKING] });
  for (const url of [
    `/v1/calls/${source.call_id}`,
    `/v1/calls?case_id=${case_id}&expand=*`,
    `/v1/cases/${case_id}/history`,
    `/v1/calls/${source.call_id}/events`,
  ]) {
    const text = JSON.stringify((await blind.request('GET', url)).body);
    expect([url, text.includes('Ida Sample'), text.includes(source.call_id as string)]).toEqual([url, false, true]);
    expect(JSON.stringify((await able.request('GET', url)).body)).toContain('Ida Sample');
  }
  const report = { tool: 'probe_report', inputs: { name: 'Ida Sample' }, sources: [source.call_id], case_id };
  const { attachments } = (await able.request<{ attachments: { url: string }[] }>('POST', '/v1/calls', report)).body;
  const url = attachments[0]?.url as string;
  expect(await able.request('GET', url)).toMatchObject({ status: 200, body: expect.stringContaining('Ida Sample') });
  expect((await blind.request('GET', url)).status).toBe(404);
  expect((await able.request('GET', url.replace(/~[\w-]+/, ''))).status).toBe(404);
  const unseen = await blind.request<Body>('POST', '/v1/calls', { ...more, occurrence: 'again' });
  expect([unseen.status, unseen.body.detail]).toEqual([400, 'the call does not exist']);
});

test('in a batch, the dependencies of a call are its sources', async () => {
  const able = await keyFor('agent', 'batcher', ['agent'], { clearances: [MARKING] });
  const calls = [
    { tool: 'probe_marked', inputs: { text: 'x' }, context: { purpose: PURPOSE } },
    { tool: 'probe_effect', inputs: { account: 'b', amount: 2, note: 'from a batch' }, depends_on: [0] },
  ];
  const { body } = await able.request<string>('POST', '/v1/calls:batch', { calls });
  const lines = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { index: number; call: Body });
  const [first, second] = [0, 1].map((index) => lines.find((line) => line.index === index)?.call as Body);
  expect(second).toMatchObject({ status: 'succeeded', sources: [first?.call_id], markings: [MARKING] });
});
