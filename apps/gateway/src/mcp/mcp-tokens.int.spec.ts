import { sampleContract } from '@countersign/calls/testing/samples';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf, mcpClient, REVISIONS } from '../testing/mcp-client.js';
import { OpenId, signingKey } from '../testing/open-id.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
let provider: OpenId;
let resource: string;
beforeAll(async () => {
  provider = await OpenId.open(['alice'], [signingKey('first').jwk]);
  gateway = await TestGateway.open();
  resource = `${gateway.url}/mcp`;
  await gateway.send('PUT', '/v1/identity-providers/corp', {
    issuer: provider.issuer,
    audiences: [resource],
    algorithms: ['ES256'],
    role_mappings: [{ value: 'staff', role: 'agent' }],
  });
  await gateway.parts.standIn.register(sampleContract({ name: 'refund', scopes: ['payments:refund'] }));
}, 30_000);
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

test.each(REVISIONS)('a token for this resource is a principal of its tenant for a client of %s', async (revision) => {
  const client = await mcpClient({ url: gateway.url, key: await provider.token('alice', resource), revision });
  const result = await client.callTool({ name: 'write_note', arguments: { path: `p-${Math.random()}`, text: 'x' } });
  expect(callOf(result)).toMatchObject({ principal: { kind: 'user', id: 'alice' }, agent_token_ref: 'jwt:corp' });
  await client.close();
});

const post = async (key: string, name: string) =>
  gateway.send(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    { accept: 'application/json, text/event-stream' },
    key,
  );

test('a token for another resource is refused, whatever it may do there', async () => {
  const answer = await post(await provider.token('alice', 'https://other.example/mcp'), 'write_note');
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(/error="invalid_token".*resource_metadata="/);
});

test('a token that lacks a scope of the tool is challenged for it, and the refusal is on record; the tool is not listed', async () => {
  const token = await provider.token('alice', resource);
  const answer = await post(token, 'refund');
  expect([answer.status, answer.body]).toMatchObject([403, { error: { data: { reason: 'scope_missing', scopes: ['payments:refund'] } } }]);
  const challenge = answer.headers.get('www-authenticate');
  expect(challenge).toMatch(/error="insufficient_scope", scope="payments:refund", resource_metadata="/);
  const client = await mcpClient({ url: gateway.url, key: token, revision: '2026-07-28' });
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('refund');
  await client.close();
  await expect.poll(async () => (await gateway.events('security-event')).length).toBeGreaterThan(0);
});

test('no record of a call contains the token that made it', async () => {
  const token = await provider.token('alice', resource);
  const client = await mcpClient({ url: gateway.url, key: token, revision: '2026-07-28' });
  await client.callTool({ name: 'write_note', arguments: { path: `p-${Math.random()}`, text: 'x' } });
  await client.close();
  for (const topic of ['tool-call-requested', 'policy-decided', 'tool-executed'])
    expect(JSON.stringify(await gateway.events(topic), (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      token,
    );
});
