import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, GatewaysOnOneLog } from './testing/gateways-on-one-log.js';

let world: GatewaysOnOneLog;
beforeAll(async () => {
  world = await GatewaysOnOneLog.open(2, []);
}, 60_000);
afterAll(() => world.close());

const mint = (n: number, id: string, more: object = {}) =>
  world.ask(n, 'POST', '/v1/keys', { principal: { kind: 'user', id, roles: ['approver'] }, ...more });
const paths = ({ body }: Answered) =>
  ((body.validation as { issues: { path: string }[] } | undefined)?.issues ?? []).map(({ path }) => path);

test('an id that looks like another one of the tenant gets no key; more keys of one id, and look-alikes elsewhere, do', async () => {
  expect((await mint(0, 'alice')).status).toBe(201);
  for (const id of ['Alice', 'alice ', 'ali\u200bce', '\u0430lice', 'a1ice']) {
    const answer = await mint(1, id);
    expect([id, answer.status, paths(answer)]).toEqual([id, 409, ['/principal/id']]);
    expect(JSON.stringify(answer.body)).toContain('alice');
  }
  expect((await mint(1, 'alice')).status).toBe(201);
  expect(paths(await mint(1, 'robot', { owner: 'ALICE' }))).toEqual(['/owner']);
  expect((await mint(1, 'robot', { owner: 'alice' })).status).toBe(201);
  expect((await world.ask(0, 'POST', '/v1/tenants', { tenant_id: 'other' })).status).toBe(201);
  expect((await mint(0, 'Alice', { tenant_id: 'other' })).status).toBe(201);
});

test('an id whose keys are all revoked stays reserved: no look-alike gets a key', async () => {
  const made = await mint(0, 'zoe');
  expect((await world.ask(0, 'DELETE', `/v1/keys/${made.body.key_id}`)).status).toBe(204);
  expect((await mint(1, 'Zoe')).status).toBe(409);
  expect((await mint(1, 'zoe')).status).toBe(201);
});

test('two gateways that create confusable ids at once: one gets the key, the other a conflict', async () => {
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([mint(0, `race-${round}`), mint(1, `Race-${round}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const both = await Promise.all([mint(0, `same-${round}`), mint(1, `same-${round}`)]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
  }
});

test('a tenant whose id looks like another one is refused, also for two concurrent gateways', async () => {
  expect((await world.ask(0, 'POST', '/v1/tenants', { tenant_id: 'acme-1' })).status).toBe(201);
  const answer = await world.ask(1, 'POST', '/v1/tenants', { tenant_id: 'acme-l' });
  expect([answer.status, paths(answer)]).toEqual([409, ['/tenant_id']]);
  expect((await world.ask(1, 'POST', '/v1/tenants', { tenant_id: 'acme-2' })).status).toBe(201);
  expect((await world.ask(1, 'PUT', '/v1/tenants/acme-1', { weight: 2 })).status).toBe(200);
  const answers = await Promise.all(['twin-0', 'twin-o'].map((tenant_id, n) => world.ask(n, 'POST', '/v1/tenants', { tenant_id })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
});
