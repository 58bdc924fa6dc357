import { setTimeout as sleep } from 'node:timers/promises';
import { KnownDamage } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
let damage: KnownDamage;
beforeAll(async () => {
  gateway = await TestGateway.open();
  damage = new KnownDamage(gateway.deps);
  await damage.start();
  gateway.deps.damage = damage;
  await gateway.restart();
}, 60_000);
afterAll(async () => {
  await damage.close();
  await gateway.close();
}, 30_000);

const call = (key?: string) => gateway.send('POST', '/v1/calls', { tool: 'write_note', inputs: { path: 'a.txt', text: 'x' } }, {}, key);
const readyz = async () => (await (await fetch(`${gateway.url}/readyz`)).json()) as { status: string };

/** Accepts the damage as an operator does. */
async function accept(): Promise<void> {
  for (const end = Date.now() + 10_000; damage.state.open.size < damage.open.length && Date.now() < end; ) await sleep(5);
  const { body: listed } = await gateway.send('GET', '/v1/damages');
  const damage_ids = listed.items.map(({ damage_id }: { damage_id: string }) => damage_id);
  expect((await gateway.send('POST', '/v1/damages/accept', { damage_ids })).status).toBe(400);
  const { status } = await gateway.send('POST', '/v1/damages/accept', { damage_ids, reason: 'restored from the backup of Monday' });
  expect(status).toBe(200);
  expect((await gateway.send('POST', '/v1/damages/accept', { damage_ids, reason: 'again' })).status).toBe(409);
}

test('writes of the affected tenants are refused with what, where and what to do; reads work and report the damage', async () => {
  expect((await call()).status).toBe(200);
  expect(await readyz()).toEqual({ status: 'ready' });
  damage.found({
    kind: 'log',
    found_by: 'scrub',
    topic: 'tool-executed',
    partition: 1,
    first_offset: 3,
    last_offset: 7,
    reason: 'record 3 is another one',
  });
  const writes = [
    await call(),
    await gateway.send('POST', '/v1/calls:batch', { calls: [{ tool: 'write_note', inputs: {} }] }),
    await gateway.send('POST', '/v1/cases', { case_id: 'c1' }),
    await gateway.send('PUT', '/v1/limits/l1', {}),
    await gateway.send('DELETE', '/v1/grants/g1'),
  ];
  expect(writes.map(({ status, body }) => [status, body?.type])).toEqual(writes.map(() => [409, 'urn:countersign:problem:record-damaged']));
  expect(writes[0]?.body).toMatchObject({
    detail: expect.stringMatching(/tool-executed\/1, offsets 3 to 7\): record 3 is another one.*countersign -- accept-damage/),
    damage: { kind: 'log', topic: 'tool-executed', partition: 1, first_offset: 3, last_offset: 7, found_by: 'scrub' },
  });
  const reads = [
    await gateway.send('GET', '/v1/calls'),
    await gateway.send('GET', '/v1/cases'),
    await gateway.send('POST', '/access/v1/evaluation', {}),
  ];
  expect(reads.map(({ status, headers }) => [status === 409, headers.get('countersign-record')])).toEqual(
    reads.map(() => [false, 'damaged']),
  );
  expect(await readyz()).toEqual({ status: 'tampered' });
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expect((await gateway.send('POST', '/v1/cases', { case_id: 'c1' }, {}, 'csk_unknown')).status).toBe(401);
});

test('after acceptance writes work, and reads report nothing', async () => {
  await accept();
  const again = await call();
  expect([again.status, again.headers.get('countersign-record')]).toEqual([200, null]);
  expect((await gateway.send('GET', '/v1/calls')).headers.get('countersign-record')).toBeNull();
  expect(await readyz()).toEqual({ status: 'ready' });
});

test('damage of a row of another tenant, or of another lane, refuses nothing here', async () => {
  damage.found({ kind: 'rows', found_by: 'sample', tenant_id: 'another', topic: 'tool-executed', reason: 'a row was set to released' });
  damage.found({ kind: 'log', found_by: 'fold', topic: 'tool-executed.bulk', partition: 0, reason: 'record 1 is another one' });
  expect((await call()).status).toBe(200);
  const { body: listed } = await gateway.send('GET', '/v1/damages');
  expect(listed.items.map(({ topic }: { topic: string }) => topic)).toEqual(['tool-executed.bulk']);
  await accept();
  expect(damage.open.map(({ tenant_id }) => tenant_id)).toEqual(['another']);
});
