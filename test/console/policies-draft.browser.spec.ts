import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { HOSTILE, LISTING, MOVES, NOTES, PoliciesWorld } from './policies-world.js';
import { check, draft, editor, textOf, write } from './policy-drafts.js';
import { expectSound, screenshot } from './sound-page.js';

let world: PoliciesWorld;
beforeAll(async () => {
  world = await PoliciesWorld.start();
}, 90_000);
afterEach(() => world.activate(null));
afterAll(() => world.close());

/** The line of the editor in which the cursor stands. */
const focusedLine = (page: Page): Promise<string> => editor(page).locator('.cm-activeLine').innerText();

/** Ends the session of a page by revoking its key. */
async function revoke(page: Page): Promise<void> {
  const key_id = (await page.evaluate(async () => (await (await fetch('/v1/session')).json()) as { key_id: string })).key_id;
  await world.console.admin.request('DELETE', `/v1/keys/${key_id}`);
}

test.each(LOOKS)('a draft is checked as it is typed, and each error stands at its line, on a %s in %s', async (viewport, theme) => {
  const observed = await world.open('/policies?tab=draft', { viewport, theme });
  const { page } = observed;
  await page.getByRole('button', { name: 'Start from an example' }).click();
  await check(page).getByText('No errors: the draft can be published').waitFor();
  await editor(page).waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-draft-${viewport}-${theme}`, { whole: true });
  await write(
    page,
    textOf([
      { ...NOTES, when: 'inputs.path == "é" &&\n nosuch', tools: 'write_fil' },
      { ...LISTING, efect: 'deny' },
    ]),
  );
  await check(page).getByText('1 error: the draft cannot be published').waitFor();
  await check(page)
    .getByRole('button', { name: /^Line 21.*no-listing.*the field does not exist/ })
    .click();
  await expect.poll(() => focusedLine(page)).toContain('efect');
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
  await expectSound(observed);
  await screenshot(observed, `policies-errors-${viewport}-${theme}`, { whole: true });
  await write(page, textOf([{ ...NOTES, when: 'inputs.path == "é" &&\n nosuch' }, LISTING]));
  await check(page)
    .getByRole('button', { name: /^Line 7.*notes-need-a-person/ })
    .waitFor();
  await write(page, '{ "rules": [ }');
  await check(page)
    .getByRole('button', { name: /^Line 1 \} is not a value/ })
    .waitFor();
  await expectSound(observed);
});

test('what is typed in the editor is no shortcut; Esc and then Tab leaves it', async () => {
  const observed = await draft(world);
  const { page } = observed;
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('g h j ? ');
  // what is typed over several lines is put in by the editor, not by the browser with styles of its own
  await page.keyboard.press('Control+A');
  await page.keyboard.type('g h j ? ');
  expect(new URL(page.url()).pathname).toBe('/policies');
  await page.keyboard.press('Tab');
  expect(await editor(page).innerText()).toContain('g h j ?');
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('policies-editor');
  await page.getByText('Esc, then Tab leaves the editor').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.className)).not.toBe('policies-editor');
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  await expectSound(observed);
});

test('search, folding and the messages in the margin keep to the policy of the page', async () => {
  const observed = await draft(world);
  const { page } = observed;
  await write(page, textOf([{ ...LISTING, tools: 'no_such_tool' }]));
  await check(page).getByText('1 error').waitFor();
  await page.locator('.cm-lint-marker-error').hover();
  await page.locator('.cm-tooltip').getByText('the tool no_such_tool does not exist').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-message');
  await page.locator('.cm-foldGutter').getByTitle('Fold line').nth(1).click();
  await page.locator('.cm-foldPlaceholder').first().waitFor();
  await editor(page).click();
  await page.keyboard.press('Control+F');
  await page.getByLabel('Find').fill('rules');
  await expectSound(observed);
  await screenshot(observed, 'policies-search');
});

test('a session that ends while a person edits keeps the draft, and so does a reload', async () => {
  const carl = await world.console.admin.keyFor('user', 'carl', ['policy_admin']);
  const observed = await draft(world, { key: carl.key, expected: /\/v1\// });
  const { page } = observed;
  await write(page, textOf([MOVES]));
  await check(page).getByText('No errors').waitFor();
  await revoke(page);
  await write(page, textOf([MOVES, LISTING]));
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor({ timeout: 60_000 });
  await dialog.getByLabel('API key').fill((await world.console.admin.keyFor('user', 'carl', ['policy_admin'])).key);
  await dialog.getByRole('button', { name: 'Sign in with the key' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await editor(page).innerText()).toContain('no-listing');
  await check(page).getByText('No errors').waitFor();
  await page.reload();
  await check(page).getByText('No errors').waitFor();
  await editor(page).getByText('no-listing').waitFor();
  expect(
    (await world.anna.request<{ items: { published_by: string }[] }>('GET', '/v1/policies')).body.items.some(
      (one) => one.published_by === 'carl',
    ),
  ).toBe(false);
});

test('what is typed last is kept, even if the page is left in the same moment', async () => {
  const observed = await draft(world);
  const { page } = observed;
  await write(page, textOf([MOVES]));
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('tab', { name: 'Draft' }).click();
  await editor(page).getByText('moves-are-tagged').waitFor();
  await write(page, textOf([LISTING]));
  await page.reload();
  await editor(page).getByText('no-listing').waitFor();
});

test('hostile text in a draft and in the errors about it stays text', async () => {
  const observed = await draft(world);
  const { page } = observed;
  await write(page, textOf([{ ...NOTES, description: HOSTILE, tools: HOSTILE.slice(0, 100) }]));
  await check(page)
    .getByText(`the tool ${HOSTILE.slice(0, 30)}`, { exact: false })
    .waitFor();
  await check(page).getByText('RLO').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-hostile-draft');
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
});

test.each([
  ['before the page knows it', false],
  ['once the page knows it', true],
])('without a connection, %s, the draft stays and is not checked; it is checked once the gateway is back', async (_, known) => {
  const observed = await draft(world, { expected: /\/v1\/|\/healthz/ });
  const { page } = observed;
  await page.route('**/v1/**', (route) => route.abort());
  await page.route('**/healthz', (route) => route.abort());
  if (known) {
    await page.evaluate(() => window.dispatchEvent(new Event('offline')));
    await page.getByText('No connection to the gateway.').waitFor();
  }
  await write(page, textOf([LISTING]));
  await check(page).getByText('The draft is not checked').waitFor();
  await expectSound(observed);
  await page.unroute('**/v1/**');
  await page.unroute('**/healthz');
  await check(page).getByText('No errors').waitFor({ timeout: 30_000 });
});
