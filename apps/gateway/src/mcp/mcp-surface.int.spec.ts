import { afterAll, beforeAll, expect, test } from 'vitest';
import { rpc } from '../testing/mcp-rpc.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
});
afterAll(() => gateway.close());

test.each(['prompts/list', 'resources/list', 'resources/read', 'resources/templates/list', 'completion/complete', 'logging/setLevel'])(
  'without the conformance pack there is no %s',
  async (method) => {
    const uri = 'test://static-text';
    const headers: Record<string, string> = method === 'resources/read' ? { 'mcp-name': uri } : {};
    const { error } = await rpc({ url: gateway.url, key: gateway.key, headers }, method, { uri, level: 'info' });
    expect(error?.code).toBe(-32601);
  },
);

test('without the conformance pack the server announces tools and tasks, and nothing else', async () => {
  const { result } = await rpc({ url: gateway.url, key: gateway.key }, 'server/discover');
  expect(result.capabilities).toEqual({ tools: { listChanged: true }, extensions: { 'io.modelcontextprotocol/tasks': {} } });
});

test('without the conformance pack loopback needs a token as everyone does', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', body, headers });
  expect(response.status).toBe(401);
});
