import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf, mcpClient, REVISIONS, textOf } from '../testing/mcp-client.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
let agent: string;
beforeAll(async () => {
  gateway = await TestGateway.open({}, { wait_ms: 200 });
  agent = await gateway.keyFor('agent-1', ['agent']);
});
afterAll(() => gateway.close());

test.each(REVISIONS)('a client of %s is answered that a call waits for a person, and gets its end by get_call', async (revision) => {
  const client = await mcpClient({ url: gateway.url, key: agent, revision });
  const pending = await client.callTool({ name: 'ask_first', arguments: { path: `p-${Math.random()}`, text: 'x' } });
  expect(pending.isError).toBe(false);
  const { call_id } = callOf(pending);
  const read = () => client.callTool({ name: 'get_call', arguments: { call_id } });
  await expect.poll(async () => textOf(await read()), { timeout: 10_000 }).toContain('waits for an approval by approver until 2');
  const { approval, status } = callOf(await read());
  expect(status).toBe('pending_approval');
  const vote = await gateway.send('POST', `/v1/approvals/${approval.approval_id}/votes`, { vote: 'approve', reason: 'ok' });
  expect(vote.status).toBe(200);
  await expect.poll(async () => callOf(await read()).status, { timeout: 10_000 }).toBe('succeeded');
  expect(textOf(await client.callTool({ name: 'get_call', arguments: { call_id: 'nothing' } }))).toContain('no call has this id');
  await client.close();
});
