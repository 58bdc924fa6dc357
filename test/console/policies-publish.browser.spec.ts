import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { longestTask } from './longest-task.js';
import { LISTING, MOVES, NOTES, PoliciesWorld } from './policies-world.js';
import { check, checked, draft, editor, textOf, write } from './policy-drafts.js';
import { expectSound, screenshot } from './sound-page.js';

let world: PoliciesWorld;
beforeAll(async () => {
  world = await PoliciesWorld.start();
}, 90_000);
afterEach(() => world.activate(null));
afterAll(() => world.close());

test('an auditor checks and simulates drafts, and may not publish them', async () => {
  const { key } = await world.console.admin.keyFor('user', 'otto', ['auditor']);
  const observed = await draft(world, { key });
  const { page } = observed;
  await page.getByText('This needs the role policy_admin or admin. You have: auditor.').first().waitFor();
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText(/of \d+ calls would be decided differently/).waitFor();
  await expectSound(observed);
});

test('a simulation shows which calls would change by which rule, and a draft is published with its report', async () => {
  const call_id = await world.list();
  const observed = await draft(world);
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
  const observed = await draft(world, { expected: /\/v1\/policies$/ });
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
  const { page } = await draft(world);
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
  const { page } = await draft(world);
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
  const { page } = await draft(world);
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

test('two thousand rules are edited and checked without a task that stops the page', async () => {
  const rules = Array.from({ length: 2000 }, (_, at) => ({ ...LISTING, id: `r${at}`, when: `inputs.path == "${'x'.repeat(150)}${at}"` }));
  const { page } = await draft(world);
  await write(page, textOf(rules));
  await check(page).getByText('No errors').waitFor({ timeout: 60_000 });
  const longest_ms = await longestTask(page, async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    for (const key of ['Enter', 'Enter', 'Backspace']) await page.keyboard.press(key);
    await check(page).getByText('Checking').waitFor();
    await check(page).getByText('No errors').waitFor({ timeout: 60_000 });
    await page.getByText('Show more changes (1980 left)').waitFor();
  });
  expect(longest_ms).toBeLessThan(500);
});

test('versions of two thousand rules are compared as texts without a task that stops the page', async () => {
  const rules = (word: string) =>
    Array.from({ length: 2000 }, (_, at) => ({ ...LISTING, id: `r${at}`, when: `inputs.path == "${word}${at % 7}"` }));
  const [before, after] = [await world.publish(rules('a')), await world.publish(rules('b'))];
  const observed = await world.open(`/policies/${after}?against=${before}`);
  const { page } = observed;
  await page.getByText('Show more changes (1980 left)').waitFor({ timeout: 60_000 });
  const longest_ms = await longestTask(page, async () => {
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel(`version ${after}`).first().waitFor({ timeout: 60_000 });
  });
  expect(longest_ms).toBeLessThan(1_500);
  await expectSound(observed);
});
