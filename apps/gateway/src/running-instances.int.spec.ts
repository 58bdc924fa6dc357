import { setTimeout as sleep } from 'node:timers/promises';
import { sampleContract } from '@countersign/calls/testing/samples';
import { contractPin } from '@countersign/contracts';
import { reportInstance } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

const VERSION = '/v1/tools/write_note/versions/1.2.0';

let gateway: TestGateway;
let key_id: string;
beforeAll(async () => {
  gateway = await TestGateway.open();
  const made = await gateway.send('POST', '/v1/keys', { principal: { kind: 'user', id: 'soon-gone', roles: ['operator'] } });
  key_id = made.body.key_id;
});
afterAll(() => gateway.close());

const changes: [string, string, object | undefined][] = [
  ['PUT', '/v1/adapters/erp/environments/production', { adapter_version: '1.1.0' }],
  ['PUT', `${VERSION}/pin`, { pin: contractPin(sampleContract({ name: 'write_note' })) }],
  ['PUT', `${VERSION}/lifecycle`, { state: 'deprecated' }],
  ['PUT', '/v1/tenants/default', { weight: 2 }],
  ['PUT', '/v1/limits/calls', { kind: 'max_tool_calls', scope: 'agent', max: 100 }],
  ['PUT', '/v1/policies/tools/write_note', { tier: 'tier_1_auto' }],
  ['PUT', '/v1/mappings/write_note', { inputs: [] }],
  ['DELETE', '/v1/mappings/write_note', undefined],
  ['POST', '/v1/delegations', { agent_id: 'bot' }],
  ['PUT', '/v1/identity-providers/corp', { issuer: 'https://id.example', audiences: ['countersign'], algorithms: ['ES256'] }],
  ['DELETE', '/v1/identity-providers/corp', undefined],
  ['POST', '/v1/keys', { principal: { kind: 'agent', id: 'new', roles: ['agent'] } }],
  ['DELETE', '/v1/keys/:key_id', undefined],
  ['POST', '/v1/vote-delegations', { to: 'deputy', until: '2999-01-01T00:00:00Z' }],
];

const late = { instance_id: 'executor-late', service: 'executor' };
const has = (config_offset: number) => reportInstance(gateway.deps.store, { ...late, config_offset });

test.each(changes)('%s %s responds when the running instances have it', async (method, path, body) => {
  await has(-1);
  let answered = false;
  const answer = gateway.send(method, path.replace(':key_id', key_id), body, { prefer: 'wait=30' }).finally(() => {
    answered = true;
  });
  // An instance without heartbeats counts as stopped, so it keeps reporting.
  for (let n = 0; n < 3; n++) {
    await sleep(50);
    await has(-1);
    expect(answered).toBe(false);
  }
  await has(1_000_000);
  const { status, text, body: reply } = await answer;
  expect([status < 300, text]).toEqual([true, text]);
  if (reply?.instances) expect(reply.instances).toContainEqual({ ...late, has_it: true });
});

test('a change returns after the wait and lists the late instances', async () => {
  await has(-1);
  const { body } = await gateway.send('PUT', changes[0]![1], { adapter_version: '1.2.0' }, { prefer: 'wait=0' });
  expect(body.instances).toContainEqual({ ...late, has_it: false });
});

test.each(changes.slice(0, 3))('%s %s lists the instances that have it', async (method, path, body) => {
  await has(1_000_000);
  const answer = await gateway.send(method, path, body);
  expect(answer.body).toMatchObject({
    config_offset: expect.any(Number),
    instances: expect.arrayContaining([{ ...late, has_it: true }, expect.objectContaining({ service: 'gateway', has_it: true })]),
  });
});
