import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let receiver: Server;
let receiver_status = 204;
let admin_key: string;
let operator_key: string;
beforeAll(async () => {
  world = await ConsoleWorld.start({ COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true' });
  receiver = createServer((request, response) => request.resume().on('end', () => response.writeHead(receiver_status).end()));
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  admin_key = (await world.admin.keyFor('user', 'ada', ['admin'])).key;
  operator_key = (await world.admin.keyFor('user', 'oscar', ['approver'])).key;
});
afterAll(async () => {
  receiver.close();
  await world.close();
});

const TABS = ['API keys', 'People', 'Secrets', 'Channels', 'Identity providers', 'Vote delegations', 'Sessions'];
const SECRET = 'value-that-must-not-stay-anywhere';

/** Whether a text is in the memory of the page's scripts, after a collection: in state, in the query cache, in a closure. */
async function isInMemory(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('').includes(text);
}

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
  expect(await isInMemory(page, key)).toBe(true);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'night jobs' }).waitFor();
  await expect.poll(() => isInMemory(page, key), { timeout: 20_000 }).toBe(false);
  expect(await kept(page)).not.toContain(key.slice(13));
  await page.getByRole('link', { name: 'night jobs' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('day jobs');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog', { name: 'API key' }).getByText('day jobs').waitFor();
  await screenshot(observed, 'settings-key');
  expect((await world.admin.as(key).request('GET', '/v1/audit/entries')).status).not.toBe(401);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog', { name: 'Revoke this key?' }).waitFor();
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
  await page
    .getByRole('alert')
    .filter({ hasText: /At least 8 characters:/ })
    .waitFor();
  await page.getByLabel('Value').fill(SECRET);
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('link', { name: 'mail-token' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await kept(page)).not.toContain(SECRET);
  await expect.poll(() => isInMemory(page, SECRET), { timeout: 20_000 }).toBe(false);
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
  await page.getByRole('dialog', { name: 'Delete this secret?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The secret is deleted').waitFor();
  await page.getByText('Nothing here yet').waitFor();
});

test('a channel is added with its secret shown once, tested with the outcome, changed and removed', async () => {
  const observed = await world.page({ key: admin_key, expected: /\/v1\/webhooks/ });
  const { page } = observed;
  await page.goto('/settings?tab=channels');
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect.poll(() => page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await page.getByLabel('Address').fill(url);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = (await page.getByTestId('shown-once').textContent()) as string;
  expect(secret.length).toBeGreaterThan(20);
  await page.keyboard.press('Escape');
  await page.getByTestId('shown-once').waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: url }).click();
  expect(await kept(page)).not.toContain(secret);
  const dialog = page.getByRole('dialog', { name: 'Channel' });
  await dialog.getByText('Nothing was sent yet.').waitFor();
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByRole('status').getByText('Delivered').waitFor();
  receiver_status = 500;
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByRole('status').getByText('answer 500').waitFor();
  await dialog.getByRole('listitem').nth(1).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'settings-channel');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Description').fill('to the finance team');
  await page.getByLabel('State').selectOption('disabled');
  await expectSound(observed);
  await page.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('to the finance team').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove this channel?' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The channel is removed').waitFor();
});

test('a form does not overwrite what somebody else changed after it was opened', async () => {
  const { body } = await world.admin.request<{ webhook_id: string }>('POST', '/v1/webhooks', { url: 'https://hooks.example/a' });
  const { page } = await world.page({ key: admin_key, expected: /\/v1\/webhooks/ });
  await page.goto(`/settings?tab=channels&item=${body.webhook_id}`);
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Description').fill('mine');
  const theirs = { url: 'https://hooks.example/a', description: 'theirs' };
  await world.admin.request('PUT', `/v1/webhooks/${body.webhook_id}`, theirs);
  for (const _again of [1, 2]) {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Somebody changed it meanwhile').waitFor();
  }
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Channel' }).getByText('theirs').waitFor();
  await world.admin.request('DELETE', `/v1/webhooks/${body.webhook_id}`);
});

test('an identity provider is added, changed and removed; its errors stand at their fields', async () => {
  const observed = await world.page({ key: admin_key, viewport: 'phone', theme: 'dark', expected: /\/v1\/identity-providers/ });
  const { page } = observed;
  await page.goto('/settings?tab=providers');
  await page.getByRole('button', { name: 'Add a provider' }).click();
  await page.getByLabel('Id', { exact: true }).fill('corp');
  await page.getByLabel('Issuer').fill('not an address');
  await page.getByLabel('Roles of its values').fill('leads = boss');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  for (const field of ['Issuer', 'Audiences', 'Roles of its values'])
    await expect.poll(() => page.getByLabel(field).getAttribute('aria-invalid')).toBe('true');
  await expectSound(observed);
  await screenshot(observed, 'settings-provider');
  await page.getByLabel('Issuer').fill('https://login.example.org');
  await page.getByLabel('Audiences').fill('countersign');
  await page.getByLabel('Roles of its values').fill('leads = approver');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'corp' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Audiences').fill('countersign, console');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('countersign, console').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove this provider?' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The provider is removed').waitFor();
});

test('votes are delegated, and the delegation is ended by its person only', async () => {
  const observed = await world.page({ key: operator_key, expected: /\/v1\/vote-delegations/ });
  const { page } = observed;
  await page.goto('/settings?tab=delegations');
  await page.getByRole('button', { name: 'Delegate your votes' }).click();
  await page.getByLabel('To', { exact: true }).fill('ada');
  await page.getByRole('button', { name: 'Delegate', exact: true }).click();
  await expect.poll(() => page.getByLabel('Until').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Until').fill('2099-01-01T12:00');
  await expectSound(observed);
  await screenshot(observed, 'settings-delegate');
  await page.getByRole('button', { name: 'Delegate', exact: true }).click();
  await page.getByRole('link', { name: 'oscar' }).waitFor();
  const other = await world.page({ key: (await world.admin.keyFor('user', 'olga', ['approver'])).key });
  await other.page.goto('/settings?tab=delegations');
  await other.page.getByRole('link', { name: 'oscar' }).click();
  await other.page.getByText('Only oscar or an admin may end it.').waitFor();
  expect(await other.page.getByRole('button', { name: 'End it now' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'oscar' }).click();
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('The delegation has ended').waitFor();
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

test('a link to what is not there says so', async () => {
  const observed = await world.page({ key: admin_key, expected: /\/v1\/principals\// });
  const { page } = observed;
  await page.goto('/settings?tab=keys&item=%3Cscript%3Ealert(1)%3C/script%3E');
  await page.getByText('The link names something that is not in this list').waitFor();
  await page.goto('/settings?tab=people&item=..');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.goto('/settings?tab=people&item=nobody-here');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.goto('/settings?tab=no-such-tab');
  await page.getByRole('tab', { name: 'API keys', selected: true }).waitFor();
  await expectSound(observed);
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
