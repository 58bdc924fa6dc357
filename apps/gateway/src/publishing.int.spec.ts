import { sampleContract } from '@countersign/calls/testing/samples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenId, signingKey } from './testing/open-id.js';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
let provider: OpenId;
beforeAll(async () => {
  provider = await OpenId.open([], [signingKey('first').jwk]);
  gateway = await TestGateway.open();
  await gateway.keyFor('anna', ['approver']);
  const corp = { issuer: provider.issuer, audiences: ['a'], algorithms: ['ES256'], role_mappings: [{ value: 'staff', role: 'approver' }] };
  expect((await gateway.send('PUT', '/v1/identity-providers/corp', corp)).status).toBe(200);
  const open = { ...sampleContract().output_schema, additionalProperties: false };
  await gateway.parts.standIn.register(sampleContract({ name: 'pay_invoice', category: 'finance', output_schema: open }));
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const publish = (rules: object[]) => gateway.send('POST', '/v1/policies', { rules });
const ask = (id: string, approval: object) => ({ id, tools: 'pay_invoice', effect: 'require_approval', approval });

describe('publishing', () => {
  test('the response lists overridden approvals and unverified people, also for a repeat', async () => {
    const rules = [
      ask('two', { people: ['anna', `${provider.issuer}|zoe`], quorum: 2 }),
      { id: 'small', tools: 'pay_invoice', effect: 'allow', overrides: ['two', 'tool.pay_invoice'] },
    ];
    const answer = await publish(rules);
    const expected = {
      overrides: [{ rule: 'small', overrides: ['two', 'tool.pay_invoice'] }],
      warnings: [
        {
          path: '/rules/0/approval/people/1',
          rule: 'two',
          message: `two: zoe of ${provider.issuer} has not signed in yet: it is not checked whether the person exists`,
        },
      ],
    };
    expect(answer).toMatchObject({ status: 201, body: expected });
    const again = await gateway.send('POST', '/v1/policies', { rules, version: answer.body.version });
    expect(again).toMatchObject({ status: 201, body: { ...expected, version: answer.body.version } });
    expect((await publish([])).body).toMatchObject({ overrides: [], warnings: [] });
  });

  test('each fault is an issue with its path, and nothing is published', async () => {
    const listed = async () => (await gateway.send('GET', '/v1/policies')).body.items.length;
    const before = await listed();
    const refused = await publish([
      { id: 'glob', tools: 'query_*', effect: 'deny' },
      { id: 'read', tools: ['pay_invoice', 'write_note'], effect: 'deny', when: 'inputs.totl > 5' },
      ask('who', { people: ['anne', 'https://evil.example|anna'], approver_roles: ['boss'] }),
    ]);
    expect(refused).toMatchObject({
      status: 422,
      body: { title: expect.any(String), detail: expect.stringContaining('rule glob, /tools/names/0') },
    });
    const issues = refused.body.validation.issues as { path: string; message: string }[];
    expect(issues.map(({ path }) => path)).toEqual([
      '/rules/0/tools/names/0',
      '/rules/2/approval/approver_roles/0',
      '/rules/2/approval/people/0',
      '/rules/2/approval/people/1',
      '/rules/1/when',
    ]);
    expect(issues[2]?.message).toContain('did you mean anna?');
    expect(await listed()).toBe(before);
  });

  test('a cap on the mapped form is accepted once a mapping fills the field', async () => {
    const capped = [{ id: 'c', tools: 'pay_invoice', effect: 'allow', obligations: [{ cap: { path: '/cents', max: 5, form: 'mapped' } }] }];
    const read = [{ id: 'r', tools: 'pay_invoice', effect: 'deny', when: 'mapped.cents > 5' }];
    for (const rules of [capped, read]) {
      const refused = await publish(rules);
      expect(refused).toMatchObject({
        status: 422,
        body: { validation: { issues: [{ message: expect.stringContaining('Publish a mapping that writes this field first') }] } },
      });
    }
    const mapping = {
      inputs: [
        { from: '/path', to: '/path' },
        { from: '/text', to: '/cents' },
      ],
    };
    expect((await gateway.send('PUT', '/v1/mappings/pay_invoice', mapping)).status).toBe(200);
    for (const rules of [capped, read]) expect(await publish(rules)).toMatchObject({ status: 201 });
  });
});

describe('a row of the tool policy', () => {
  const set = (tool: string, requirement: object) =>
    gateway.send('PUT', `/v1/policies/tools/${tool}`, { tier: 'tier_2_approval_required', requirement });

  test('warns of people who cannot be verified', async () => {
    const answer = await set('pay_invoice', { people: [`${provider.issuer}|zoe`, 'anna'] });
    const warning = { path: '/requirement/people/0', message: expect.stringContaining('zoe of') };
    expect(answer).toMatchObject({ status: 200, body: { tool: 'pay_invoice', warnings: [warning] } });
    expect((await set('pay_invoice', { people: ['anna'] })).body.warnings).toEqual([]);
  });

  test.each([
    ['an unknown person', 'pay_invoice', { people: ['anne'] }, '/requirement/people/0', 'no user anne has a valid key; did you mean anna?'],
    ['an unknown role', '*', { approver_roles: ['boss'] }, '/requirement/approver_roles/0', 'the role boss does not exist; roles are '],
    [
      'an unknown issuer',
      'pay_invoice',
      { people: ['https://evil.example|x'] },
      '/requirement/people/0',
      'no identity provider of this tenant has the issuer',
    ],
    [
      'a quorum above the people',
      'pay_invoice',
      { people: ['anna'], quorum: 2 },
      '/requirement/quorum',
      'the group names fewer people than its quorum',
    ],
  ])('refuses %s', async (_what, tool, requirement, path, message) => {
    const refused = await set(tool, requirement);
    expect([400, 422]).toContain(refused.status);
    expect(refused.body).toMatchObject({ validation: { issues: [{ path, message: expect.stringContaining(message) }] } });
  });

  test('refuses a tool that does not exist, and names the nearest', async () => {
    const refused = await set('pay_invoic', { people: ['anna'] });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('the tool pay_invoic does not exist'), nearest: ['pay_invoice'] },
    });
  });
});
