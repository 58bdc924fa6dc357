import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { HOSTILE, LISTING, MOVES, NOTES, PoliciesWorld } from './policies-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: PoliciesWorld;
beforeAll(async () => {
  world = await PoliciesWorld.start();
}, 90_000);
afterEach(() => world.activate(null));
afterAll(() => world.close());

test('without a policy the page says what decides, and leads to the first rules', async () => {
  const observed = await world.open('/policies');
  const { page } = observed;
  await page.getByRole('heading', { name: 'No policy is active' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-empty');
  await page.getByRole('link', { name: 'Write the first rules' }).click();
  await page.getByRole('button', { name: 'Start from an example' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-begin');
});

test.each(LOOKS)('what is in force, its versions and how they differ, on a %s in %s', async (viewport, theme) => {
  const first = await world.publish([NOTES, MOVES], { description: 'What agents may do by themselves.' });
  const second = await world.publish([{ ...NOTES, approval: { approver_roles: ['approver'], quorum: 2 } }, LISTING]);
  await world.activate(first, world.ben);
  const observed = await world.open('/policies', { viewport, theme });
  const { page } = observed;
  await page.getByRole('heading', { name: `Version ${first}` }).waitFor();
  await page.getByRole('article').getByText('notes-need-a-person').waitFor();
  await page
    .getByRole('complementary')
    .getByText(/by ben/)
    .first()
    .waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-active-${viewport}-${theme}`, { whole: true });
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('table', { name: 'Versions of the policy' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-versions-${viewport}-${theme}`);
  await page.goto(`/policies/${second}`);
  const changes = page.getByRole('list', { name: `Changes from version ${first} to version ${second}` });
  await changes.getByText('1 of role approver, within 1 d').waitFor();
  await changes.getByText('2 of role approver, within 1 d').waitFor();
  await changes.getByText('no-listing').waitFor();
  await changes.getByText('moves-are-tagged').waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-version-${viewport}-${theme}`, { whole: true });
  await page.getByRole('button', { name: 'As text' }).click();
  await page.getByLabel(`version ${second}`).first().waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-text-${viewport}-${theme}`, { whole: true });
});

test('a version is activated after its changes are shown, and an older one is rolled back to', async () => {
  const older = await world.publish([NOTES]);
  await world.activate(older);
  const newer = await world.publish([NOTES, LISTING]);
  const observed = await world.open(`/policies/${newer}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Activate', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Activate version ${newer}?` });
  await dialog.getByText('no-listing').waitFor();
  await dialog.getByText(/\d+ newly denied/).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-activate');
  await dialog.getByRole('button', { name: 'Activate' }).click();
  await page.getByText(`Version ${newer} is active`).waitFor();
  expect(await world.active()).toBe(newer);
  await page.goto(`/policies/${older}`);
  await page.getByRole('button', { name: 'Roll back to this' }).click();
  const back = page.getByRole('dialog', { name: `Roll back to version ${older}?` });
  await back.getByText('1 removed').waitFor();
  await back.getByRole('button', { name: 'Roll back' }).click();
  await page.getByText(`Version ${older} is active`).waitFor();
  expect(await world.active()).toBe(older);
});

test('of two people who activate at once the slower one is told who was faster, and looks again', async () => {
  const [mine, bens] = [
    await world.publish([NOTES, MOVES], { description: 'mine' }),
    await world.publish([LISTING], { description: 'bens' }),
  ];
  const observed = await world.open(`/policies/${mine}`, { expected: /policies\/active/ });
  const { page } = observed;
  await page.getByRole('button', { name: /^(Activate|Roll back to this)$/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('notes-need-a-person').waitFor();
  await world.activate(bens, world.ben);
  await dialog.getByRole('button', { name: /^(Activate|Roll back)$/ }).click();
  await dialog.getByText('Somebody was faster; you changed nothing.').waitFor();
  await dialog.getByText(`Version ${bens} was activated`).waitFor();
  await dialog.getByText(/by ben/).waitFor();
  expect(await world.active()).toBe(bens);
  await expectSound(observed);
  await screenshot(observed, 'policies-faster');
  await dialog.getByRole('button', { name: 'Look again' }).click();
  await dialog.getByText('no-listing').waitFor();
  await dialog.getByRole('button', { name: /^(Activate|Roll back)$/ }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await world.active()).toBe(mine);
});

test('names and texts of rules stay text in lists, cards and comparisons', async () => {
  const rule = { ...NOTES, id: 'a', description: HOSTILE, when: `inputs.path == ${JSON.stringify(HOSTILE)}` };
  const version = await world.publish([rule], { description: `${HOSTILE}${'long '.repeat(300)}` });
  await world.activate(version);
  const observed = await world.open('/policies');
  const { page } = observed;
  await page.getByText('RLO').first().waitFor();
  await expectSound(observed);
  await page.goto(`/policies/${version}?against=none`);
  await page
    .getByRole('list', { name: /^Changes from/ })
    .getByText('ESC')
    .first()
    .waitFor();
  await expectSound(observed);
  await page.getByRole('button', { name: 'As text' }).click();
  await page.getByLabel(`version ${version}`).first().waitFor();
  await expectSound(observed);
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
});

test('a person without the role reads everything and is told what changing needs', async () => {
  const { key } = await world.console.admin.keyFor('user', 'olga', ['operator']);
  const version = await world.publish([NOTES]);
  const observed = await world.open(`/policies/${version}`, { key });
  const { page } = observed;
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
  await page.getByText('This needs the role policy_admin or admin. You have: operator.').waitFor();
  expect(await page.getByRole('button', { name: /^(Activate|Roll back to this)$/ }).isDisabled()).toBe(true);
  await page.goto('/policies?tab=draft');
  await page.getByRole('heading', { name: 'You may read policies, not write them' }).waitFor();
  await expectSound(observed);
  await page.goto('/policies?tab=limits');
  await page.getByText('default.max_tool_calls').waitFor();
  expect(await page.getByRole('button', { name: 'Add a limit' }).isDisabled()).toBe(true);
  expect(refused).toEqual([]);
});

test('g p leads here, a version that does not exist is said to be missing, and lost connection keeps what was read', async () => {
  const observed = await world.open('/', { expected: /\/v1\/policies/ });
  const { page } = observed;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
  for (const name of ['active', 'settings', '%3Cscript%3E', 'a%2Fb']) {
    await page.goto(`/policies/${name}`);
    await page.getByRole('heading', { name: 'There is no such version' }).waitFor();
  }
  await page.goto('/policies/no-such-version');
  await page.getByText('The policy no-such-version does not exist').waitFor();
  await expectSound(observed);
  await page.route('**/v1/policies**', (route) => route.abort());
  await page.goto('/policies');
  await page.getByRole('heading', { name: 'No connection', exact: true }).waitFor();
  await page.unroute('**/v1/policies**');
  await page.getByRole('heading', { name: 'No policy is active' }).waitFor();
  expect(await observed.faults()).toEqual([]);
});
