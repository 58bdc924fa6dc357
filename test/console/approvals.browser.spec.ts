import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { ApprovalsWorld, pathOf } from './approvals-world.js';
import { LOOKS } from './browser.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ApprovalsWorld;
let ann: Api;
let bob: Api;
beforeAll(async () => {
  world = await ApprovalsWorld.start();
  ann = await world.person('ann');
  bob = await world.person('bob');
});
afterAll(() => world?.close());

const row = (page: Page, approval_id: string) => page.locator(`[data-row-of="${approval_id}"]`);
const CLAIM = 'The invoice matches purchase order 4471. Payment is due tomorrow.';

test('an empty inbox says what would come here', async () => {
  const observed = await world.page(ann, '/approvals?tool=write_file&mine=1');
  await observed.page.getByRole('heading', { name: 'No request matches' }).waitFor();
  await observed.page.goto('/approvals');
  await observed.page.getByRole('heading', { name: 'Nothing waits', exact: true }).waitFor();
  await expectSound(observed);
});

test.each(LOOKS)(
  'on a %s, %s, a request shows its facts in order above the decision, the claims of the agent below',
  async (viewport, theme) => {
    const approval_id = await world.pay(
      { supplier: 'Nordwind Logistics GmbH', amount: 18_400 },
      { rationale: CLAIM, purpose: 'monthly run' },
    );
    await world.write();
    const observed = await world.page(ann, '/approvals', { viewport, theme });
    const { page } = observed;
    await row(page, approval_id).waitFor();
    await expectSound(observed);
    await screenshot(observed, `approvals-${viewport}-${theme}`);
    await row(page, approval_id).click();
    await page.getByText('Time left').waitFor();
    await page.getByRole('heading', { name: 'Pay 18400 EUR to “Nordwind Logistics GmbH”' }).waitFor();
    expect(await page.locator('.facts dt').allTextContents()).toEqual(['Asked by', 'Why', 'Unusual', 'Undo', 'Others', 'Time left']);
    const places = await page.evaluate(() => {
      const of = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
      return { sentence: of('.request-sentence'), facts: of('.facts'), claims: of('.claims'), decision: of('.decision') };
    });
    expect(places.sentence.bottom).toBeLessThanOrEqual(places.facts.top);
    expect(places.facts.bottom).toBeLessThanOrEqual(places.decision.top);
    expect(places.claims.top).toBeGreaterThanOrEqual(places.facts.bottom);
    await expectSound(observed);
    await screenshot(observed, `approval-${viewport}-${theme}`);
    for (const fold of await page.locator('.fold summary').all()) await fold.click();
    await expectSound(observed);
    await screenshot(observed, `approval-details-${viewport}-${theme}`, { whole: true });
  },
);

test('filters live in the address; what is not mine to decide is left out', async () => {
  const approval_id = await world.pay();
  const clerk = await world.person('clerk', ['auditor']);
  const observed = await world.page(clerk, '/approvals');
  const { page } = observed;
  await row(page, approval_id).waitFor();
  await page.getByLabel('Mine to decide').check();
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  expect(new URL(page.url()).search).toBe('?mine=1');
  await page.getByLabel('Mine to decide').uncheck();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Tool').fill('write_file');
  await expect.poll(() => row(page, approval_id).count()).toBe(0);
  await page.reload();
  await page.getByLabel('Tool').waitFor();
  expect(await page.getByLabel('Tool').inputValue()).toBe('write_file');
  await expectSound(observed);
});

test('who may not decide sees the buttons, disabled, and why', async () => {
  const approval_id = await world.pay();
  const observed = await world.page(await world.person('clerk', ['auditor']), pathOf(approval_id));
  const { page } = observed;
  await page.getByText('This needs the role approver.').first().waitFor();
  expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(true);
  await expectSound(observed);
});

test('a request that does not exist says so', async () => {
  const observed = await world.page(ann, '/approvals/0-01900000-0000-7000-8000-000000000001.1', { expected: /\/v1\/approvals\// });
  await observed.page.getByRole('alert').getByRole('heading').waitFor();
  await expectSound(observed);
});

test('keys move, open and decide; no key acts while typing, in a dialog, or on another request than the one that is shown', async () => {
  const [first, second] = [await world.pay(), await world.pay()];
  const observed = await world.page(ann, `/approvals?principal=invoice-agent&tool=pay_supplier`);
  const { page } = observed;
  await row(page, second).waitFor();
  await row(page, first).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Time left').waitFor();
  expect(new URL(page.url()).pathname).toBe(pathOf(first));
  await row(page, first).focus();
  await page.keyboard.press('j');
  expect(await row(page, second).evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('a');
  await page.getByText('Another request is marked in the list').waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Deny this request' });
  await dialog.getByLabel('Reason').fill('');
  await page.keyboard.type('add jk');
  await dialog.getByRole('button', { name: 'Cancel' }).press('a');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Edit the inputs').waitFor();
  await page.keyboard.press('Escape');
  for (const approval_id of [first, second]) expect((await world.read(approval_id)).votes).toEqual([]);
  await page.locator('h2').first().focus();
  await page.keyboard.press('a');
  await page.getByText('Your approval counts').waitFor();
  expect((await world.read(first)).votes).toMatchObject([{ voter_id: 'ann', vote: 'approve' }]);
  expect((await world.read(second)).votes).toEqual([]);
  await expectSound(observed);
});

test('several are decided together, each with its outcome; what cannot be undone is never among them', async () => {
  const [first, second, irreversible] = [await world.pay(), await world.pay(), await world.write()];
  const observed = await world.page(ann, '/approvals');
  const { page } = observed;
  const box = (approval_id: string) => page.locator('li', { has: row(page, approval_id) }).getByRole('checkbox');
  await row(page, irreversible).waitFor();
  expect(await box(irreversible).isDisabled()).toBe(true);
  await row(page, irreversible).focus();
  await page.keyboard.press('x');
  expect(await page.getByRole('region', { name: 'Selected requests' }).count()).toBe(0);
  await box(first).check();
  await row(page, second).focus();
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Selected requests' }).getByRole('button', { name: 'Deny' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Deny 2 requests' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('Paid already');
  // the first one is decided by somebody else meanwhile
  await bob.request('POST', `/v1/approvals/${first}/votes`, { vote: 'deny', reason: 'A duplicate' });
  await dialog.getByRole('button', { name: 'Deny 2 requests' }).click();
  await dialog.getByText('bob was faster').waitFor();
  await dialog.getByText('Denied', { exact: true }).waitFor();
  // the rows have ended meanwhile; what came of each stays on the screen
  await expect.poll(() => page.locator('.inbox-row-gone').count(), { timeout: 20_000 }).toBe(2);
  await expectSound(observed);
  await screenshot(observed, 'approvals-batch');
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await world.read(second)).toMatchObject({ status: 'denied', decided_by: 'ann' });
});
