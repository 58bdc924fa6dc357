import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import type { ObservedPage } from './observed-page.js';
import { HOSTILE, LISTING, MOVES, NOTES, PoliciesWorld } from './policies-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: PoliciesWorld;
beforeAll(async () => {
  world = await PoliciesWorld.start();
}, 90_000);
afterEach(() => world.activate(null));
afterAll(() => world.close());

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the draft, JSON' });
const check = (page: Page) => page.getByRole('region', { name: 'Check of the draft' });
const textOf = (rules: readonly object[], more: object = {}) => JSON.stringify({ ...more, rules }, null, 2);

/** Replaces the text of the editor by pasting. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await editor(page).evaluate((content, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** Waits until what was written last has no errors. */
const checked = async (page: Page): Promise<void> => {
  await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isEnabled(), { timeout: 30_000 }).toBe(true);
  await check(page).getByText('No errors').waitFor();
};

/** A page with an empty draft. */
async function draft(more: Parameters<PoliciesWorld['open']>[1] = {}): Promise<ObservedPage> {
  const observed = await world.open('/policies?tab=draft', more);
  await observed.page.getByRole('button', { name: 'Start empty' }).click();
  await check(observed.page).getByText('No errors').waitFor();
  await editor(observed.page).waitFor();
  return observed;
}

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
  const observed = await draft();
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
  const observed = await draft();
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

test('an auditor checks and simulates drafts, and may not publish them', async () => {
  const { key } = await world.console.admin.keyFor('user', 'otto', ['auditor']);
  const observed = await draft({ key });
  const { page } = observed;
  await page.getByText('This needs the role policy_admin or admin. You have: auditor.').first().waitFor();
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText(/of \d+ calls would be decided differently/).waitFor();
  await expectSound(observed);
});

test('a session that ends while a person edits keeps the draft, and so does a reload', async () => {
  const carl = await world.console.admin.keyFor('user', 'carl', ['policy_admin']);
  const observed = await draft({ key: carl.key, expected: /\/v1\// });
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
  const observed = await draft();
  const { page } = observed;
  await write(page, textOf([MOVES]));
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('tab', { name: 'Draft' }).click();
  await editor(page).getByText('moves-are-tagged').waitFor();
  await write(page, textOf([LISTING]));
  await page.reload();
  await editor(page).getByText('no-listing').waitFor();
});

test('a simulation shows which calls would change by which rule, and a draft is published with its report', async () => {
  const call_id = await world.list();
  const observed = await draft();
  const { page } = observed;
  await write(page, textOf([LISTING, NOTES]));
  await checked(page);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText(/calls would be decided differently: \d+ newly denied\./).waitFor();
  await page
    .getByRole('list', { name: 'Changes by rule' })
    .getByRole('button', { name: /Deny.*no-listing/ })
    .click();
  const rows = page.getByRole('table', { name: 'Calls that would be decided differently' }).getByRole('row');
  await rows.nth(1).getByText('Deny').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-simulation', { whole: true });
  expect(await page.locator(`a[href="/calls/${call_id}"]`).count()).toBe(1);
  await page.getByLabel('Calls of').selectOption('1');
  expect(new URL(page.url()).searchParams.get('period')).toBe('1');
  await write(page, textOf([LISTING]));
  await page.getByText('The draft has changed since this simulation.').waitFor();
  await write(page, textOf([LISTING, NOTES]));
  await page.getByText('The draft has changed since this simulation.').waitFor({ state: 'detached' });
  await checked(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish this draft?' });
  await dialog.getByText('Published with the report of your simulation.').waitFor();
  await dialog.getByLabel('Version').fill('with-report');
  await expectSound(observed);
  await screenshot(observed, 'policies-publish');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'Policy version with-report' }).waitFor();
  await page.getByText('before it was published').waitFor();
  await page.goto('/policies?tab=draft');
  await page.getByRole('heading', { name: 'Begin a draft' }).waitFor();
});

test('a version name that is taken, or is no name, is an error of the field, and the draft stays', async () => {
  await world.publish([NOTES], { version: 'taken' });
  const observed = await draft({ expected: /\/v1\/policies$/ });
  const { page } = observed;
  await write(page, textOf([MOVES]));
  await checked(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Version').fill('taken');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText('A version of this name has other rules. Choose another name.').waitFor();
  await dialog.getByLabel('Version').fill('no name');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText('Has 1 to 64 letters, digits and . _ -').waitFor();
  await expectSound(observed);
  await page.keyboard.press('Escape');
  await editor(page).getByText('moves-are-tagged').waitFor();
});

test('where a simulation is required, a draft without one is not published, and the page says so', async () => {
  await world.anna.request('PUT', '/v1/policies/settings', { simulation_required: true });
  const { page } = await draft();
  await write(page, textOf([MOVES]));
  await checked(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This tenant requires a simulation of exactly these rules first').waitFor();
  expect(await dialog.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.goto('/policies');
  await page.getByRole('button', { name: 'Do not require it' }).click();
  await page.getByText('A simulation is not required.').waitFor();
});

test('a draft is told of a policy that somebody activated meanwhile, and its changes are shown against that', async () => {
  const { page } = await draft();
  await write(page, textOf([MOVES]));
  await check(page).getByText('No errors').waitFor();
  const version = await world.publish([LISTING], { description: 'by ben' }, world.ben);
  await world.activate(version, world.ben);
  await page.getByText(/by ben, after you began this draft/).waitFor();
  await page
    .getByRole('list', { name: `Changes from version ${version} to the draft` })
    .getByText('no-listing')
    .waitFor();
});

test('a link to edit a version does not replace a draft without asking', async () => {
  const version = await world.publish([NOTES, MOVES], { description: 'to edit' });
  const { page } = await draft();
  await write(page, textOf([LISTING]));
  await check(page).getByText('No errors').waitFor();
  await page.goto(`/policies/${version}`);
  await page.getByRole('link', { name: 'Edit a copy' }).click();
  await page.getByText('You have a draft that is not published').waitFor();
  await page.getByRole('button', { name: 'Keep my draft' }).click();
  await editor(page).getByText('no-listing').waitFor();
  await page.goto(`/policies?tab=draft&from=${version}`);
  await page.getByRole('button', { name: 'Replace my draft' }).click();
  await editor(page).getByText('moves-are-tagged').waitFor();
  await check(page).getByText(`these are the rules of version ${version}`).waitFor();
});

test('hostile text in a draft and in the errors about it stays text', async () => {
  const observed = await draft();
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

test('without a connection the draft stays and is not checked; it is checked once the gateway is back', async () => {
  const observed = await draft({ expected: /\/v1\// });
  const { page } = observed;
  await page.route('**/v1/**', (route) => route.abort());
  await page.route('**/healthz', (route) => route.abort());
  await write(page, textOf([LISTING]));
  await check(page).getByText('The draft is not checked').waitFor();
  await expectSound(observed);
  await page.unroute('**/v1/**');
  await page.unroute('**/healthz');
  await check(page).getByText('No errors').waitFor({ timeout: 30_000 });
});

test('two thousand rules are edited and checked without a task that stops the page', async () => {
  const rules = Array.from({ length: 2000 }, (_, at) => ({ ...LISTING, id: `r${at}`, when: `inputs.path == "${'x'.repeat(150)}${at}"` }));
  const observed = await draft();
  const { page } = observed;
  await write(page, textOf(rules));
  await check(page).getByText('No errors').waitFor({ timeout: 60_000 });
  await page.evaluate(() => {
    window.countersign_long_tasks = [];
  });
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowRight');
  for (const key of ['Enter', 'Enter', 'Backspace']) await page.keyboard.press(key);
  await check(page).getByText('Checking').waitFor();
  await check(page).getByText('No errors').waitFor({ timeout: 60_000 });
  await page.getByText('Show more changes (1980 left)').waitFor();
  const [longest = 0] = await observed.longTasks();
  expect(longest).toBeLessThan(500);
});

test('versions of two thousand rules are compared as texts without a task that stops the page', async () => {
  const rules = (word: string) =>
    Array.from({ length: 2000 }, (_, at) => ({ ...LISTING, id: `r${at}`, when: `inputs.path == "${word}${at % 7}"` }));
  const [before, after] = [await world.publish(rules('a')), await world.publish(rules('b'))];
  const observed = await world.open(`/policies/${after}?against=${before}`);
  const { page } = observed;
  await page.getByText('Show more changes (1980 left)').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'As text' }).click();
  await page.getByLabel(`version ${after}`).first().waitFor({ timeout: 60_000 });
  const [longest = 0] = await observed.longTasks();
  expect(longest).toBeLessThan(1_500);
  await expectSound(observed);
});
