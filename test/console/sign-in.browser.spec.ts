import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let key: string;
beforeAll(async () => {
  world = await ConsoleWorld.start();
  key = readFileSync(path.join(world.platform.dataDir, 'admin.key'), 'utf8').trim();
});
afterAll(() => world.close());

/** The console asks who is signed in before anybody is. */
const SIGNED_OUT = /\/v1\/session$/;

test.each(LOOKS)('a person signs in with a key and signs out on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, expected: SIGNED_OUT });
  const { page } = observed;
  await page.goto('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `sign-in-${viewport}-${theme}`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in with the key' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `home-${viewport}-${theme}`);
  if (viewport === 'phone') await page.getByRole('button', { name: 'Menu' }).click();
  if (viewport === 'phone') await screenshot(observed, `menu-${viewport}-${theme}`);
  await page.getByRole('button', { name: 'Sign out' }).last().click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await page.context().cookies()).filter(({ value }) => value !== '')).toEqual([]);
});

test('a key that is not valid is refused in words, and stays in no storage', async () => {
  const observed = await world.page({ expected: SIGNED_OUT });
  const { page } = observed;
  await page.goto('/sign-in');
  await page.getByLabel('API key').fill('cs_not-a-key');
  await page.getByLabel('API key').press('Enter');
  await page.getByText('The key is not valid').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'sign-in-refused');
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toContain('not-a-key');
});

test('after a sign-in the page that was opened is shown, with its query', async () => {
  const { page } = await world.page({ expected: SIGNED_OUT });
  await page.goto('/approvals?status=pending');
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/approvals?status=pending');
});

test('a sign-in leads to no other site', async () => {
  const { page } = await world.page({ key });
  await page.goto('/sign-in?return_to=https://evil.example/');
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(page.url()).toBe(`${world.platform.base}/`);
});

test('a one-time link signs in by a click, once, and its token stays in no address', async () => {
  const { body } = await world.admin.request<{ url: string }>('POST', '/v1/sign-in-links');
  const { page } = await world.page({ expected: SIGNED_OUT });
  await page.goto(body.url);
  await page.getByText('This one-time link signs you in').waitFor();
  expect(page.url()).toBe(`${world.platform.base}/sign-in`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(
    await page.evaluate(() => JSON.stringify([location.href, history.state, { ...sessionStorage }, { ...localStorage }])),
  ).not.toContain('link=');
  const again = await world.page({ expected: /\/v1\/session(:link)?$/ });
  await again.page.goto(body.url);
  await again.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.page.getByText('The link cannot be used').waitFor();
  await expectSound(again);
  await screenshot(again, 'link-used');
});

test('what one person drafted is not shown to the next one', async () => {
  const { page } = await world.page({ key, expected: SIGNED_OUT });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.evaluate(() => sessionStorage.setItem('countersign:draft:reason', 'of the first person'));
  await page.reload();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('countersign:draft:reason'))).toBe('of the first person');
  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel('API key').fill((await world.admin.keyFor('user', 'second', ['operator'])).key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('Signed in as second').waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('countersign:draft:reason'))).toBeNull();
});

const latestCalls = (page: Page) => page.locator('a[href^="/calls/"]');

test('a tab in which another person signs in shows nothing of the former one, in any tab', async () => {
  await world.admin.call({ tool: 'write_file', inputs: { path: 'of-default.txt', content: 'x', mode: 'create' } });
  await world.admin.request('POST', '/v1/tenants', { tenant_id: 'rival' });
  const rival = await world.admin.keyFor('user', 'rival-person', ['operator'], 'rival');
  const { page } = await world.page({ key, expected: /./ });
  await page.goto('/');
  await latestCalls(page).first().waitFor();
  const other = await page.context().newPage();
  await other.goto('/');
  await latestCalls(other).first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).last().click();
  await page.getByLabel('API key').fill(rival.key);
  await page.getByLabel('API key').press('Enter');
  for (const tab of [page, other]) {
    await tab.getByText('Signed in as rival-person of tenant rival').waitFor();
    await tab.getByText('None yet. Calls of your agents').waitFor();
    expect(await latestCalls(tab).count()).toBe(0);
  }
});

test('somebody else who signs in where a session has ended sees nothing of the former person', async () => {
  const first = await world.admin.keyFor('user', 'short-lived', ['operator']);
  const { page } = await world.page({ key: first.key, expected: /./ });
  await page.goto('/');
  await latestCalls(page).first().waitFor();
  const { key_id } = await page.evaluate(async () => (await (await fetch('/v1/session')).json()) as { key_id: string });
  await world.admin.request('DELETE', `/v1/keys/${key_id}`);
  await page.getByRole('button', { name: 'Sign in as somebody else' }).click({ timeout: 60_000 });
  // nothing is answered: whatever is shown was kept
  await page.route('**/v1/calls?*', () => undefined);
  const rival = await world.admin.keyFor('user', 'rival-second', ['operator'], 'rival');
  await page.getByLabel('API key').fill(rival.key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('Signed in as rival-second of tenant rival').waitFor();
  await page.getByRole('status', { name: 'Loading the latest calls' }).waitFor();
  expect(await latestCalls(page).count()).toBe(0);
});
