import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let admin_key: string;
let operator_key: string;
beforeAll(async () => {
  world = await ConsoleWorld.start();
  admin_key = (await world.admin.keyFor('user', 'ada', ['admin'])).key;
  operator_key = (await world.admin.keyFor('user', 'oscar', ['approver'])).key;
});
afterAll(() => world.close());

const TABS = ['API keys', 'People', 'Secrets', 'Sessions'];
const SECRET = 'value-that-must-not-stay-anywhere';

/** Everything that the page keeps as text: its document with the values of its fields, its address and its storage. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value);
    const cached = 'caches' in window ? await caches.keys() : [];
    const stores = await indexedDB.databases();
    const state = [location.href, history.state, { ...localStorage }, { ...sessionStorage }, cached, stores];
    return JSON.stringify([document.documentElement.outerHTML, fields, state]);
  });

test.each(LOOKS)('every tab of the settings is readable on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: admin_key });
  const { page } = observed;
  await page.goto('/settings');
  for (const tab of TABS) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    await page.getByRole('tabpanel', { name: tab }).waitFor();
    await expectSound(observed);
    await screenshot(observed, `settings-${tab}-${viewport}-${theme}`);
  }
});

test('a key is created, shown once, renamed and revoked', async () => {
  const observed = await world.page({ key: admin_key, viewport: 'phone' });
  const { page } = observed;
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('night jobs');
  await page.getByLabel('Id', { exact: true }).fill('batch');
  await page.getByLabel('auditor').check();
  await expectSound(observed);
  await screenshot(observed, 'settings-create-key');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const key = (await page.getByTestId('shown-once').textContent()) as string;
  expect(key).toMatch(/^csk_/);
  await expectSound(observed);
  await screenshot(observed, 'settings-key-once');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'night jobs' }).waitFor();
  expect(await kept(page)).not.toContain(key.slice(13));
  await page.getByRole('link', { name: 'night jobs' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name').fill('day jobs');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog', { name: 'API key' }).getByText('day jobs').waitFor();
  await screenshot(observed, 'settings-key');
  expect((await world.admin.as(key).request('GET', '/v1/audit/entries')).status).not.toBe(401);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expectSound(observed);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The key is revoked').waitFor();
  expect((await world.admin.as(key).request('GET', '/v1/audit/entries')).status).toBe(401);
  expect(await kept(page)).not.toContain(key.slice(13));
});

test('errors of a form stand at their fields', async () => {
  const observed = await world.page({ key: admin_key, expected: /\/v1\/keys$/ });
  const { page } = observed;
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const id = page.getByLabel('Id', { exact: true });
  await expect.poll(() => id.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('group', { name: 'Roles' }).getByRole('alert').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'settings-key-errors');
});

test('the value of a secret is nowhere after its dialog closed', async () => {
  const observed = await world.page({ key: admin_key, expected: /\/v1\/secrets\// });
  const { page } = observed;
  await page.goto('/settings?tab=secrets');
  await page.getByRole('button', { name: 'Set a secret' }).click();
  await page.getByLabel('For').selectOption('workspace');
  await page.getByLabel('Name').fill('mail-token');
  await page.getByLabel('Value').fill('short');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'at least 8 characters' }).waitFor();
  await page.getByLabel('Value').fill(SECRET);
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('link', { name: 'mail-token' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await kept(page)).not.toContain(SECRET);
  await page.getByRole('link', { name: 'mail-token' }).click();
  await screenshot(observed, 'settings-secret');
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByLabel('New value').fill(`${SECRET}-2`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Secret' }).waitFor();
  expect(await kept(page)).not.toContain(SECRET);
  await page.getByRole('button', { name: 'Rotate' }).click();
  expect(await page.getByLabel('New value').inputValue()).toBe('');
  await page.getByLabel('New value').fill(`${SECRET}-3`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog', { name: 'Secret' }).getByText('Version').waitFor();
  expect(await kept(page)).not.toContain(SECRET);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The secret is deleted').waitFor();
  await page.getByText('Nothing here yet').waitFor();
});

test('what a person may not do is disabled and says which role it needs', async () => {
  const observed = await world.page({ key: operator_key });
  const { page } = observed;
  await page.goto('/settings');
  expect(await page.getByRole('button', { name: 'Create a key' }).isDisabled()).toBe(true);
  await page.getByText('This needs the role admin. You have: approver.').first().waitFor();
  await expectSound(observed);
  await screenshot(observed, 'settings-refused');
  await page.goto('/settings?tab=secrets');
  await page.getByRole('button', { name: 'Set a secret' }).click();
  await page.getByLabel('For').selectOption('org');
  expect(await page.getByRole('button', { name: 'Set', exact: true }).isDisabled()).toBe(true);
});

test('signing out everywhere ends the sessions of other browsers, too', async () => {
  const { key } = await world.admin.keyFor('user', 'sam', ['approver']);
  const here = await world.page({ key, expected: /./ });
  const there = await world.page({ key, expected: /./ });
  await there.page.goto('/settings?tab=sessions');
  await here.page.goto('/settings?tab=sessions');
  await here.page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await here.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await there.page.reload();
  await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
