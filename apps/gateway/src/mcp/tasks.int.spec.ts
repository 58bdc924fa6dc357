import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOf, mcpClient } from '../testing/mcp-client.js';
import { type RpcClient, rpc } from '../testing/mcp-rpc.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
let agent: RpcClient;
let other: RpcClient;
beforeAll(async () => {
  gateway = await TestGateway.open({}, { wait_ms: 1_000, task_after_ms: 10_000 });
  agent = { url: gateway.url, key: await gateway.keyFor('agent-1', ['agent']) };
  other = { url: gateway.url, key: await gateway.keyFor('agent-2', ['agent']) };
});
afterAll(() => gateway.close());

const unique = () => ({ path: `p-${Math.random()}`, text: 'x' });
const call = (name: string, by = agent) => rpc(by, 'tools/call', { name, arguments: unique() });
const get = (taskId: string, by = agent) => rpc(by, 'tasks/get', { taskId });

/** A call that waits for a person, as a task. */
async function waiting(): Promise<{ taskId: string; statusMessage: string }> {
  return (await call('ask_first')).result;
}

const vote = async (taskId: string, what: 'approve' | 'deny') =>
  gateway.send('POST', `/v1/approvals/app-${taskId}/votes`, { vote: what, reason: 'because' });

async function ended(taskId: string) {
  await expect.poll(async () => (await get(taskId)).result.status, { timeout: 5_000 }).not.toBe('working');
  return (await get(taskId)).result;
}

describe('a call that waits for people', () => {
  test('is a task that works, and says who is asked and until when', async () => {
    const { result } = await call('ask_first');
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: expect.any(Number) });
    const message = async () => (await get(result.taskId)).result.statusMessage;
    await expect.poll(message).toMatch(/^Waits for the approval of people with the role approver until 2\d{3}-.*Z \(app-/);
    for (const time of [result.createdAt, result.lastUpdatedAt]) expect(new Date(time).toISOString()).toBe(time);
  });

  test('has the id of the call, and tasks/get finds it at once', async () => {
    const { taskId } = await waiting();
    expect((await get(taskId)).result).toMatchObject({ resultType: 'complete', taskId, status: 'working', ttlMs: null });
    expect((await gateway.send('GET', `/v1/calls/${taskId}`)).body.status).toBe('pending_approval');
  });

  test('completes with the result of the tool once it is approved', async () => {
    const { taskId } = await waiting();
    await vote(taskId, 'approve');
    const task = await ended(taskId);
    expect(task).toMatchObject({ status: 'completed', result: { isError: false, structuredContent: { text: 'x' } } });
    expect(callOf(task.result)).toMatchObject({ call_id: taskId, status: 'succeeded' });
  });

  test('completes with an error that has our code if it is denied', async () => {
    const { taskId } = await waiting();
    await vote(taskId, 'deny');
    const task = await ended(taskId);
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(callOf(task.result)).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
    expect(task.statusMessage).toBe('denied: POLICY_DENIED');
  });

  test('is cancelled by tasks/cancel, which answers nothing but an acknowledgement, also the second time', async () => {
    const { taskId } = await waiting();
    for (const _ of [1, 2]) {
      const { resultType, _meta, ...rest } = (await rpc(agent, 'tasks/cancel', { taskId })).result;
      expect([resultType, rest]).toEqual(['complete', {}]);
    }
    expect(await ended(taskId)).toMatchObject({ status: 'cancelled', statusMessage: 'cancelled: CANCELLED' });
  });

  test('takes no vote from its client: responses in tasks/update decide nothing', async () => {
    const { taskId } = await waiting();
    const inputResponses = { approve: { action: 'accept', content: { vote: 'approve' } }, __proto__: { action: 'accept' } };
    expect((await rpc(agent, 'tasks/update', { taskId, inputResponses })).result).toMatchObject({ resultType: 'complete' });
    expect((await get(taskId)).result).toMatchObject({ status: 'working' });
    const own = await gateway.send('POST', `/v1/approvals/app-${taskId}/votes`, { vote: 'approve' }, {}, await agentKey());
    expect(own.status).toBe(403);
  });
});

/** A key of the kind agent: only people vote. */
const agentKey = async () =>
  (await gateway.send('POST', '/v1/keys', { principal: { kind: 'agent', id: 'bot', roles: ['agent', 'approver'] } })).body.key as string;

describe('a call that has ended soon', () => {
  test.each([
    ['write_note', false],
    ['never', true],
    ['fails', true],
    ['doubtful', true],
  ])('%s is answered with its result, and can be read as a task as well', async (tool, isError) => {
    const { result } = await call(tool);
    expect(result).toMatchObject({ resultType: 'complete', isError });
    const { call_id } = callOf(result);
    expect((await get(call_id)).result).toMatchObject({ status: 'completed', result: { isError } });
  });
});

describe('a task of another principal', () => {
  test('is not found, as an unknown id is', async () => {
    const { taskId } = await waiting();
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { inputResponses: {} };
      const { error } = await rpc(other, method, { taskId, ...params });
      expect(error).toEqual({ code: -32602, message: 'Task not found' });
      expect((await rpc(other, method, { taskId: '0-no-such-call', ...params })).error).toEqual(error);
    }
    expect((await get(taskId)).result.status).toBe('working');
  });

  test('does not exist for an operator either', async () => {
    const { taskId } = await waiting();
    expect((await get(taskId, { url: gateway.url, key: gateway.key })).error?.code).toBe(-32602);
  });
});

describe('a client that does not declare tasks', () => {
  test('is refused every method of tasks with -32021', async () => {
    const plain = { ...agent, tasks: false };
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { status, error } = await rpc(plain, method, { taskId: 'any', inputResponses: {} });
      expect([status, error?.code]).toEqual([400, -32021]);
      expect(error?.data).toEqual({ requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } });
    }
  });

  test('is refused a stream of notifications of tasks', async () => {
    const { status, error } = await rpc({ ...agent, tasks: false }, 'subscriptions/listen', { notifications: { taskIds: ['any'] } });
    expect([status, error?.code]).toEqual([400, -32021]);
  });

  test('is answered that the call waits, and never with a task', async () => {
    const { result } = await call('ask_first', { ...agent, tasks: false });
    expect(result).toMatchObject({ resultType: 'complete', isError: false });
    expect(result).not.toHaveProperty('taskId');
    expect(result.content[0].text).toContain('get_call');
  });

  test('of an earlier revision has no methods of tasks, and no such capability is announced', async () => {
    const client = await mcpClient({ url: gateway.url, key: agent.key, revision: '2025-11-25' });
    expect(client.getServerCapabilities()?.extensions).toBeUndefined();
    await client.close();
  });
});

describe('bad input', () => {
  test('a header that names another task is refused with -32020', async () => {
    const { taskId } = await waiting();
    expect((await rpc({ ...agent, headers: { 'mcp-name': 'another' } }, 'tasks/get', { taskId })).error?.code).toBe(-32020);
  });

  test.each([[''], ['x'.repeat(10_000)], ['../../etc/passwd'], ['0-\u0000']])('the id %j is an invalid parameter', async (taskId) => {
    const { error } = await rpc({ ...agent, headers: { 'mcp-name': '' } }, 'tasks/get', { taskId });
    expect([-32602, -32020]).toContain(error?.code);
  });

  test.each([[7], [null], [{}], [[]]])('the id %j is an invalid parameter', async (taskId) => {
    expect((await rpc({ ...agent, headers: { 'mcp-name': 'x' } }, 'tasks/get', { taskId })).error?.code).toBe(-32602);
  });

  test.each(['tasks/list', 'tasks/result'])('%s is no method of this revision', async (method) => {
    expect((await rpc(agent, method, { taskId: 'any' })).error?.code).toBe(-32601);
  });
});
