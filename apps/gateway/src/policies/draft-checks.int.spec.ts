import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { FeatureApp } from '../testing/feature-app.js';
import { PoliciesApp } from '../testing/policies-app.js';
import { bookingTool, registerTools } from '../testing/registered-tools.js';

let opened: PoliciesApp;
let app: FeatureApp;
let configuration: ConfigurationService;
beforeAll(async () => {
  opened = await PoliciesApp.open();
  ({ app, configuration } = opened);
  registerTools(configuration, bookingTool('book_trip'));
}, 60_000);
afterAll(() => opened?.close());

const check = (bundle: unknown, role = 'policy_admin') => app.send('POST', '/v1/policies:check', { role, body: { bundle } });
const places = async (bundle: unknown) => {
  const { body } = await check(bundle);
  return body.errors.map(({ path, reason }: { path: string; reason: string }) => `${path}: ${reason}`);
};

test('checking a draft needs the role auditor or policy_admin', async () => {
  expect((await app.send('POST', '/v1/policies:check', { body: { bundle: {} } })).status).toBe(401);
  expect((await check({ rules: [] }, 'operator')).status).toBe(403);
  expect((await check({ rules: [] }, 'auditor')).status).toBe(200);
});

test('a draft that could be published is answered as it would be kept, and publishes nothing', async () => {
  const { status, body } = await check({ rules: [{ id: 'r', tools: '*', effect: 'deny' }] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, errors: [], bundle: { rules: [{ id: 'r', tools: { names: ['*'] } }] }, published_as: null });
  expect((await app.send('GET', '/v1/policies', { role: 'policy_admin' })).body.items).toEqual([]);
});

test('a draft with the rules of a version says which one, and has its digest', async () => {
  const rules = [{ id: 'same', effect: 'allow' }];
  const { body: made } = await app.send('POST', '/v1/policies', { role: 'policy_admin', body: { version: 'v7', rules } });
  const { body } = await check({ rules });
  expect([body.published_as, body.bundle_digest]).toEqual(['v7', made.digest]);
});

test('a condition that does not compile is placed in its text', async () => {
  const { body } = await check({ rules: [{ id: 'r', effect: 'deny', when: 'true &&\n  nosuch == 1' }] });
  expect(body.ok).toBe(false);
  expect(body.errors).toMatchObject([{ path: '/rules/0/when', rule: 'r', position: { line: 2, column: 3 } }]);
});

test('an unknown field is named itself', async () => {
  expect(await places({ rules: [{ id: 'r', effect: 'deny', whn: 'true' }], dangerus: 'off' })).toEqual([
    '/rules/0/whn: the field does not exist',
    '/dangerus: the field does not exist',
  ]);
});

test('the fault of a value of several forms is in the form that was meant', async () => {
  expect(await places({ rules: [{ id: 'r', effect: 'deny', obligations: [{ cap: { path: '/total', max: 'many' } }] }] })).toEqual([
    '/rules/0/obligations/0/cap/max: Invalid input: expected number, received string',
  ]);
  expect(await places({ rules: [{ id: 'r', effect: 'deny', tools: { name: ['a'] } }] })).toEqual([
    '/rules/0/tools/name: the field does not exist',
  ]);
  expect(await places({ rules: [{ id: 'r', effect: 'deny', tools: 7 }] })).toEqual(['/rules/0/tools: Invalid input']);
});

test.each([
  ['no rules', {}, '/rules'],
  ['a rule that is a text', { rules: ['deny'] }, '/rules/0'],
  ['half of a character', { rules: [], description: '\ud800' }, '/description'],
  ['half of a character in a rule', { rules: [{ id: 'r', effect: 'deny', tools: ['a', '\udc00'] }] }, '/rules/0/tools/names/1'],
  [
    'nesting without end',
    { rules: [{ id: 'r', effect: 'deny', tools: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) }] },
    '/rules/0/tools/0',
  ],
])('a draft with %s is answered, never a fault of the gateway', async (_, bundle, path) => {
  const { status, body } = await check(bundle);
  expect([status, body.errors[0]?.path]).toEqual([200, path]);
});

test('a draft that is no object is refused', async () => {
  for (const bundle of [null, 7, 'rules', []]) expect((await check(bundle)).status).toBe(400);
});

test('half of a character is refused by publishing, too', async () => {
  const body = { version: 'half', rules: [], description: 'a\ud800' };
  expect((await app.send('POST', '/v1/policies', { role: 'policy_admin', body })).status).toBe(422);
});
