import { sampleContract } from '@countersign/calls/testing/samples';
import { contractDigest } from '@countersign/contracts';
import { TenantRulings } from '@countersign/decisions';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PolicyService } from '../policies/policy.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { AccessModule } from './access.module.js';

const contract = sampleContract({ name: 'write_note' });

let app: FeatureApp;
beforeAll(async () => {
  const configuration = MemoryConfiguration.service();
  MemoryConfiguration.register(configuration, {
    name: contract.name,
    version: contract.version,
    contract_json: JSON.stringify(contract),
    digest: contractDigest(contract),
    executor_id: 'e1',
    lanes: ['shared'],
    registered_at_ms: 1,
    ...ungatedRegistration,
  });
  const policies = new PolicyService(
    configuration,
    new TenantRulings(() => configuration.now_ms()),
    undefined as never,
    undefined as never,
  );
  app = await FeatureApp.open([AccessModule], [{ provide: PolicyService, useValue: policies }]);
});
afterAll(() => app.close());

const question = (properties: object, id = 'agent') => ({
  subject: { type: 'user', id },
  action: { name: 'write_note' },
  resource: { type: 'note', id: 'n1', properties },
});
const evaluate = (body: unknown, role: 'agent' | 'auditor' = 'agent') => app.send('POST', '/access/v1/evaluation', { role, body });

test('returns 401 without a token, and 403 for another principal', async () => {
  expect((await app.send('GET', '/.well-known/authzen-configuration')).status).toBe(401);
  const { status, body } = await evaluate(question({ path: 'a', text: 'b' }, 'somebody'));
  expect([status, body.detail]).toEqual([403, 'evaluating calls of another principal needs the role policy_admin, auditor or operator']);
});

test('each fault of a request is reported with its path', async () => {
  const { status, body } = await evaluate({ ...question({}), subject: { type: 'user' } });
  expect([status, body.validation.issues[0].path]).toEqual([400, '/subject/id']);
});

test('AuthZEN metadata uses the host of the request', async () => {
  const { body } = await app.send('GET', '/.well-known/authzen-configuration', { role: 'agent', headers: { host: 'gate.example' } });
  expect(body).toEqual({
    policy_decision_point: 'http://gate.example',
    access_evaluation_endpoint: 'http://gate.example/access/v1/evaluation',
  });
});

test('an evaluation and the effective tier of a tool agree, also for inputs that are refused with their faults', async () => {
  const { body } = await evaluate(question({ path: 'a', text: 'b' }));
  const tier = await app.send('POST', '/v1/policies/tools/write_note/resolve', {
    role: 'agent',
    body: { inputs: { path: 'a', text: 'b' } },
  });
  const { tool, ...ruling } = tier.body;
  expect([tool, body]).toEqual(['write_note', { decision: ruling.effect === 'allow', context: ruling }]);
  const faulty = await evaluate(question({}));
  expect(faulty.body).toMatchObject({
    decision: false,
    context: { reason: { code: 'invalid-inputs', issues: [{ path: '/path' }, { path: '/text' }] } },
  });
  const unknown = await evaluate({ ...question({}), action: { name: 'no_tool' } });
  expect(unknown.body.context.reason).toEqual({ code: 'unknown-tool', message: 'the tool no_tool does not exist' });
});
