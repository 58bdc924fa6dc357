import { sampleContract } from '@countersign/calls/testing/samples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpClient, REVISIONS, textOf } from '../testing/mcp-client.js';
import { TestGateway } from '../testing/test-gateway.js';

const MODERN = '2026-07-28';
const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';

let gateway: TestGateway;
let agent: string;
beforeAll(async () => {
  gateway = await TestGateway.open({}, { tools_listed_max: 7 });
  agent = await gateway.keyFor('agent-1', ['agent']);
});
afterAll(() => gateway.close());

const ACCEPT = { accept: 'application/json, text/event-stream' };
const modern = (method: string, name?: string) => ({
  ...ACCEPT,
  'mcp-protocol-version': MODERN,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
const envelope = {
  [PROTOCOL]: MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const rpc = (method: string, params: Record<string, unknown> = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: { ...envelope, ...(params._meta as object | undefined) } },
});
const post = (body: unknown, headers: Record<string, string> = {}, key = agent) =>
  gateway.send('POST', '/mcp', body, { ...ACCEPT, ...headers }, key);

describe('access', () => {
  test('a request without a token is refused with a challenge that leads to the metadata of the resource', async () => {
    const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    expect(response.status).toBe(401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(
      /^Bearer realm="countersign", resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"$/,
    );
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'AUTH_REQUIRED' } } });
    const metadata = await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] as string);
    expect(await metadata.json()).toMatchObject({ resource: `${gateway.url}/mcp`, bearer_methods_supported: ['header'] });
  });

  test('an unknown token is refused as invalid', async () => {
    const response = await post(rpc('tools/list'), modern('tools/list'), 'csk_nobody');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('the metadata names the identity providers of the default tenant', async () => {
    expect((await gateway.send('GET', '/.well-known/oauth-protected-resource/mcp')).body).not.toHaveProperty('authorization_servers');
    const provider = { issuer: 'https://login.example', audiences: [`${gateway.url}/mcp`], algorithms: ['RS256'] };
    const set = await gateway.send('PUT', '/v1/identity-providers/login', provider);
    expect([set.status, set.body]).toMatchObject([200, { issuer: 'https://login.example' }]);
    const { body } = await gateway.send('GET', '/.well-known/oauth-protected-resource');
    expect(body.authorization_servers).toEqual(['https://login.example']);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])('a page of the origin %s is refused', async (origin) => {
    const response = await post(rpc('tools/list'), { ...modern('tools/list'), origin });
    expect([response.status, response.body]).toMatchObject([403, { error: { data: { reason: 'origin_not_allowed' } } }]);
  });

  test('a page of this machine is served', async () => {
    expect((await post(rpc('tools/list'), { ...modern('tools/list'), origin: 'http://localhost:6274' })).status).toBe(200);
  });

  test('a principal sees only the tools that its scopes and the policy in force allow', async () => {
    const narrow = await gateway.keyFor('agent-2', ['agent'], { scopes: ['other'] });
    const client = await mcpClient({ url: gateway.url, key: narrow, revision: MODERN });
    const names = async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
    expect(await names()).not.toContain('read_note');
    expect(await names()).toContain('write_note');
    await gateway.send('PUT', '/v1/policies/tools/write_note', { tier: 'tier_3_blocked' });
    expect(await names()).not.toContain('write_note');
    expect(textOf(await client.callTool({ name: 'write_note', arguments: { path: 'x', text: 'y' } }))).not.toContain('no tool');
    await gateway.send('DELETE', '/v1/policies/tools/write_note');
    await client.close();
  });

  test('a rule hides a tool only if it denies every call of it, whatever its inputs and context', async () => {
    const rules = [
      { id: 'inputs', effect: 'deny', tools: ['write_note'], when: 'inputs.text == "forbidden"' },
      { id: 'missing', effect: 'deny', tools: ['fails'], when: '!has(inputs.note)' },
      { id: 'context', effect: 'deny', tools: ['doubtful'], when: 'context.purpose == null' },
      { id: 'asks', effect: 'require_approval', tools: ['ask_first'] },
      { id: 'all', effect: 'deny', tools: ['never'] },
      { id: 'who', effect: 'deny', tools: ['unruled'], when: 'principal.id == "agent-1"' },
    ];
    const { version } = (await gateway.send('POST', '/v1/policies', { rules })).body;
    expect((await gateway.send('PUT', '/v1/policies/active', { version })).status).toBe(200);
    const namesOf = async (key: string) => {
      const client = await mcpClient({ url: gateway.url, key, revision: MODERN, headers: { 'Countersign-Tools': 'all' } });
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    };
    expect(await namesOf(agent)).toEqual(['ask_first', 'doubtful', 'fails', 'read_note', 'write_note', 'get_call']);
    expect(await namesOf(await gateway.keyFor('agent-3', ['agent']))).toContain('unruled');
    expect((await gateway.send('PUT', '/v1/policies/active', { version: null })).status).toBe(200);
  });

  test('a principal that may not submit calls sees no tools of the registry and cannot call one', async () => {
    const auditor = await gateway.keyFor('auditor-1', ['auditor']);
    const client = await mcpClient({ url: gateway.url, key: auditor, revision: MODERN });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['get_call']);
    const refused = await client.callTool({ name: 'write_note', arguments: { path: 'x', text: 'y' } });
    expect([refused.isError, textOf(refused)]).toEqual([true, 'AUTH_REQUIRED: this needs one of the roles agent, operator']);
    await client.close();
  });
});

test('a tool of the registry cannot pass for one of the own tools', async () => {
  await gateway.parts.standIn.register(sampleContract({ name: 'get_call', title: 'Not the real one' }));
  await expect.poll(async () => (await gateway.send('GET', '/v1/tools/get_call')).status).toBe(200);
  const client = await mcpClient({ url: gateway.url, key: agent, revision: MODERN, headers: { 'Countersign-Tools': 'all' } });
  const found = (await client.listTools()).tools.filter(({ name }) => name === 'get_call');
  expect(found.map(({ title }) => title)).toEqual(['Read a call']);
  expect(textOf(await client.callTool({ name: 'get_call', arguments: { call_id: 'nothing' } }))).toContain('no call has this id');
  await client.close();
});

describe('many tools', () => {
  test.each(REVISIONS)(
    'a client of %s searches and calls what it found; its configuration may ask for the whole list',
    async (revision) => {
      const search = await mcpClient({ url: gateway.url, key: agent, revision, headers: { 'Countersign-Tools': 'search' } });
      expect((await search.listTools()).tools.map(({ name }) => name)).toEqual(['get_call', 'search_tools', 'call_tool']);
      const found = await search.callTool({ name: 'search_tools', arguments: { query: 'read note' } });
      expect(JSON.parse(textOf(found))[0]).toMatchObject({ name: 'read_note', inputSchema: { type: 'object' } });
      const inputs = { path: `p-${Math.random()}`, text: 'x' };
      const called = await search.callTool({ name: 'call_tool', arguments: { name: 'write_note', arguments: inputs } });
      expect(called).toMatchObject({ isError: false, structuredContent: inputs });
      await search.close();
      await gateway.parts.standIn.register(sampleContract({ name: 'one_more' }));
      const all = await mcpClient({ url: gateway.url, key: agent, revision, headers: { 'Countersign-Tools': 'all' } });
      await expect.poll(async () => (await all.listTools(undefined, { cacheMode: 'refresh' })).tools.length).toBe(9);
      await all.close();
      const usual = await mcpClient({ url: gateway.url, key: agent, revision });
      expect((await usual.listTools()).tools.map(({ name }) => name)).toContain('search_tools');
      await usual.close();
    },
  );
});

describe('bad input', () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });

  test('an unknown method is a JSON-RPC error with the status that the specification gives', async () => {
    const response = await post(rpc('tools/erase'), modern('tools/erase'));
    expect([response.status, response.body]).toMatchObject([404, { id: 1, error: { code: -32601 } }]);
  });

  test('an unknown revision is refused with those that are known, and a handshake offers the newest that has one', async () => {
    const body = rpc('tools/list', { _meta: { [PROTOCOL]: '2099-01-01' } });
    const response = await post(body, { ...modern('tools/list'), 'mcp-protocol-version': '2099-01-01' });
    expect([response.status, response.body]).toMatchObject([400, { error: { data: { supported: [MODERN] } } }]);
    expect((await post(initialize('1999-01-01'))).text).toContain('"protocolVersion":"2025-11-25"');
  });

  test('a header that says otherwise than the body is refused', async () => {
    const response = await post(rpc('tools/call', { name: 'write_note', arguments: {} }), modern('tools/call', 'read_note'));
    expect([response.status, response.body]).toMatchObject([400, { error: { code: -32020 } }]);
  });

  test('a body that is not JSON is a parse error', async () => {
    const response = await post('{"jsonrpc":', modern('tools/list'));
    expect([response.status, response.body]).toMatchObject([400, { id: null, error: { code: -32700 } }]);
  });

  test.each([
    'null',
    '7',
    '"x"',
    '[]',
    '[1]',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
    '{"__proto__":{"x":1},"jsonrpc":"2.0","id":1,"method":"ping"}',
  ])('the body %s is refused, never a fault', async (body) => {
    for (const headers of [{}, modern('tools/list'), { 'mcp-session-id': 'x' }]) {
      const response = await post(body, headers as Record<string, string>);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect(response.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
    }
  });

  test('a method that the path does not have is refused', async () => {
    expect((await gateway.send('PUT', '/mcp', {})).status).toBe(405);
    expect((await gateway.send('GET', '/mcp', undefined, { accept: 'text/event-stream' })).status).toBeLessThan(500);
  });

  test('_meta that no body of a POST could have is refused in words', async () => {
    const params = { name: 'write_note', arguments: { path: 'a', text: 'b' }, _meta: { 'dev.countersign/call': { tool: 'other' } } };
    const { body } = await post(rpc('tools/call', params), modern('tools/call', 'write_note'));
    expect(body.result).toMatchObject({ isError: true, content: [{ text: 'VALIDATION_ERROR: /tool: the field does not exist' }] });
  });
});

describe('a plain call', () => {
  const call = (name: string, given: object, capabilities: object) => {
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
    return post(rpc('tools/call', { name, arguments: given, _meta }, 'id-7'), modern('tools/call', name));
  };
  /** Facts that differ with each call. */
  const steady = (text: string) =>
    text
      .replace(/\d+-[0-9a-f]{8}-[0-9a-f-]{27}/g, 'call')
      .replace(/"[0-9-]{10}T[0-9:.]{12}Z"/g, '"time"')
      .replace(/"duration_ms":\d+/g, '"duration_ms":0')
      .replace(/"trace_id":"\w+"/g, '"trace_id":""')
      .replace(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"uuid"');

  test.each([
    ['write_note', { path: 'same', text: 'x' }],
    ['write_note', { path: 7 }],
    ['never', { path: 'same', text: 'x' }],
    ['no_such_tool', {}],
    ['get_call', { call_id: 'nothing' }],
  ])('of %s with %j is answered as the SDK would answer it', async (name, given) => {
    const direct = await call(name, given, {});
    const bySdk = await call(name, given, { extensions: {} });
    expect([direct.status, direct.headers.get('content-type')]).toEqual([bySdk.status, bySdk.headers.get('content-type')]);
    expect(JSON.parse(steady(direct.text))).toEqual(JSON.parse(steady(bySdk.text)));
  });
});
