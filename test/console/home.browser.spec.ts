import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { adminKey, keyOf } from './people.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let admin: string;
beforeAll(async () => {
  world = await ConsoleWorld.start();
  admin = adminKey(world);
}, 120_000);
afterAll(() => world.close());

test.each(LOOKS)('an empty installation shows how to begin, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: admin });
  const { page } = observed;
  await page.goto('/');
  await page.getByText('Make the first call').waitFor();
  await page.getByText('Nothing waits for you.').waitFor();
  await page.getByText('$COUNTERSIGN_KEY').first().waitFor();
  await expectSound(observed);
  await screenshot(observed, `first-steps-${viewport}-${theme}`);
});

test('somebody who may make no keys and write no rules is told so', async () => {
  const key = await keyOf(world, { kind: 'user', id: 'ann', roles: ['approver'] });
  const observed = await world.page({ key });
  const { page } = observed;
  await page.goto('/');
  await page.getByText('Making keys needs the role admin.').waitFor();
  expect(await page.getByRole('button', { name: 'Make a key for an agent' }).isDisabled()).toBe(true);
  await page.getByText('Write the first rule').click();
  await page.getByText('Writing rules needs the role policy_admin.').waitFor();
  await expectSound(observed);
});

/** What the newcomer does in a terminal: sends the request of the shown text. */
async function sendShown(text: string): Promise<{ status: number }> {
  const [, url = ''] = /curl -s (\S+)/.exec(text) ?? [];
  const [, bearer = ''] = /Bearer ([^"]+)"/.exec(text) ?? [];
  const [, body = ''] = /-d '(.*)'/.exec(text) ?? [];
  return fetch(url, { method: 'POST', headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }, body });
}

test('from an empty installation to the first approved call, each step ticks itself off', async () => {
  const observed = await world.page({ viewport: 'phone', key: admin });
  const { page } = observed;
  await page.goto('/');
  await page.getByRole('button', { name: 'Make a key for an agent' }).click();
  const key = (await page.locator('.made-key-text').textContent()) ?? '';
  expect(key).toMatch(/^csk_/);
  await expectSound(observed);
  await screenshot(observed, 'first-key');
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toContain(key);
  const first = await sendShown((await page.locator('.snippet code').first().textContent()) ?? '');
  expect(first.status).toBe(200);
  await page.getByRole('button', { name: /Make the first call\s*Done/ }).waitFor();
  await page.getByRole('button', { name: 'Put it in force' }).click();
  await page.getByRole('button', { name: /Write the first rule\s*Done/ }).waitFor();
  await screenshot(observed, 'first-rule');
  const second = (await page.locator('.snippet code').last().textContent()) ?? '';
  expect(second).toContain('notes/hello.txt');
  expect((await sendShown(second.replace('$COUNTERSIGN_KEY', key))).status).toBe(202);
  await page.getByRole('link', { name: 'Decide the request that waits' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'first-approval', { whole: true });
  const bea = await keyOf(world, { kind: 'user', id: 'bea', roles: ['approver'] });
  const { page: page_of_bea } = await world.page({ key: bea });
  await page_of_bea.goto('/');
  await page_of_bea.getByRole('link', { name: /1\s*approval waits for you/ }).waitFor();
  const asBea = world.admin.as(bea);
  const pending = await asBea.request<{ items: { approval_id: string }[] }>('GET', '/v1/approvals?status=pending');
  const vote = await asBea.request('POST', `/v1/approvals/${pending.body.items[0]?.approval_id}/votes`, { vote: 'approve' });
  expect(vote.status).toBe(200);
  await page.getByRole('button', { name: /Approve a call\s*Done/ }).waitFor();
  await page.getByText('First steps: done').waitFor();
  await page_of_bea.getByText('Nothing waits for you.').waitFor();
  await screenshot(observed, 'first-steps-done', { whole: true });
  await page.reload();
  await page.getByRole('table', { name: 'Latest calls' }).waitFor();
  expect(await page.getByText('First steps').count()).toBe(0);
  await expectSound(observed);
});
