import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

const fits = { path: 'a', text: 'b' };
const ask = async (id: string, inputs: unknown = fits, context: Record<string, unknown> = {}, version?: string) => {
  const action = { name: 'write_note', properties: { inputs, ...(version ? { version } : {}) } };
  const subject = { type: 'agent', id };
  const resource = { type: 'tool', id: 'write_note' };
  return (await gateway.send('POST', '/access/v1/evaluation', { subject, action, resource, context })).body;
};
const limit = async (id: string, body: Record<string, unknown>) =>
  expect((await gateway.send('PUT', `/v1/limits/${id}`, { scope: 'agent', subjects: [id], ...body })).status).toBe(200);

test('a call that would run gets true, with the digest of the inputs that its own record would have', async () => {
  const answer = await ask('free');
  expect(answer).toMatchObject({ decision: true, context: { effect: 'allow' } });
  const called = await gateway.send('POST', '/v1/calls', { tool: 'write_note', inputs: { ...fits, mode: 'create' } });
  expect(called.body.decision.inputs_digest).toMatch(/^[0-9a-f]{64}$/);
  expect(answer.context.inputs_digest).toBe(called.body.decision.inputs_digest);
});

test('inputs that no call may have get false, with their faults', async () => {
  expect(await ask('free', { path: 7, text: 'b', other: 1 })).toMatchObject({
    decision: false,
    context: {
      reason: { code: 'invalid-inputs', issues: expect.arrayContaining([expect.objectContaining({ path: '/path', code: 'type' })]) },
    },
  });
  for (const inputs of [[], 'text', {}]) expect((await ask('free', inputs)).decision).toBe(false);
  expect(await ask('free', fits, { safety_mode: 'bold' })).toMatchObject({
    decision: false,
    context: { reason: { code: 'invalid-request' } },
  });
});

test('the effective tier for inputs that no call may have is refused as such a call is, with their faults', async () => {
  const resolve = (inputs: unknown) => gateway.send('POST', '/v1/policies/tools/write_note/resolve', { inputs });
  expect((await resolve(fits)).body).toMatchObject({ tool: 'write_note', effect: 'allow', tier: 'tier_1_auto' });
  const deep = JSON.parse(`${'{"path":'.repeat(100)}1${'}'.repeat(100)}`);
  for (const inputs of [{}, { path: 7, text: 'b' }, { ...fits, other: 1 }, deep, { ...fits, path: '\ud800' }]) {
    const [resolved, called] = [await resolve(inputs), await gateway.send('POST', '/v1/calls', { tool: 'write_note', inputs })];
    expect(resolved.status).toBe(422);
    for (const field of ['type', 'code', 'detail', 'validation']) expect(resolved.body[field]).toEqual(called.body[field]);
    expect(resolved.body).not.toHaveProperty('effect');
  }
});

test('guards without counters are evaluated, and the effective tier of a tool agrees', async () => {
  await limit('only', { kind: 'enabled_tools', allowed: ['read_*'] });
  await limit('looks', { kind: 'side_effects', side_effects: 'reads' });
  for (const id of ['only', 'looks'])
    expect(await ask(id)).toMatchObject({ decision: false, context: { effect: 'deny', tier: 'tier_3_blocked', rule: `limit.${id}` } });
  expect(await ask('free', fits, { safety_mode: 'read_only' })).toMatchObject({ decision: false, context: { effect: 'deny' } });
  expect(await ask('free', fits, { run_id: 'r', iteration: 11 })).toMatchObject({ context: { rule: 'limit.default.max_iterations' } });
  await gateway.send('PUT', '/v1/limits/root', { kind: 'enabled_tools', scope: 'tool', subjects: ['write_note'], allowed: ['read_*'] });
  const tier = await gateway.send('POST', '/v1/policies/tools/write_note/resolve', { inputs: fits });
  expect(tier.body).toMatchObject({ effect: 'deny', tier: 'tier_3_blocked', rule: 'limit.root' });
  expect((await gateway.send('DELETE', '/v1/limits/root')).status).toBe(204);
});

test('counters are not checked: an evaluation consumes nothing, and ignores an exhausted limit', async () => {
  await limit('counted', { kind: 'max_tool_calls', max: 1 });
  for (let n = 0; n < 3; n++) expect((await ask('counted')).decision).toBe(true);
  expect((await gateway.send('GET', '/v1/limits/counted/usage')).body.items).toEqual([]);
});

test('a closed case, an unknown case and a blocked version get false', async () => {
  const { case_id } = (await gateway.send('POST', '/v1/cases', { title: 'Refund' })).body;
  expect((await ask('free', fits, { case_id })).decision).toBe(true);
  await gateway.send('PATCH', `/v1/cases/${case_id}`, { state: 'closed' });
  expect(await ask('free', fits, { case_id })).toMatchObject({ decision: false, context: { effect: 'deny', rule: 'case.closed' } });
  expect(await ask('free', fits, { case_id: 'none' })).toMatchObject({ decision: false, context: { reason: { code: 'unknown-case' } } });
  expect((await ask('free', fits, {}, '1.2.0')).decision).toBe(true);
  await gateway.send('PUT', '/v1/tools/write_note/versions/1.2.0/lifecycle', { state: 'blocked' });
  expect((await ask('free', fits, {}, '1.2.0')).decision).toBe(false);
});
