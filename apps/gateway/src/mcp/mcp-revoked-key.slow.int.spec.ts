import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
});
afterAll(() => gateway.close());

test('a stream ends when its key is revoked', async () => {
  const made = await gateway.send('POST', '/v1/keys', { principal: { kind: 'agent', id: 'short', roles: ['agent'] } });
  const response = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${made.body.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('notifications/subscriptions/acknowledged');
  await gateway.send('DELETE', `/v1/keys/${made.body.key_id}`);
  const over = (async () => {
    for (;;) if ((await reader.read()).done) return 'done';
  })().catch(() => 'cut');
  expect(await Promise.race([over, sleep(35_000, 'open')])).not.toBe('open');
}, 40_000);
