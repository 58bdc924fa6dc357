import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { ApprovalsWorld, pathOf } from './approvals-world.js';
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

/** A vote is not withdrawn by the second tap on the button that cast it: that guard is over after this time. */
const SECOND_TAP_MS = 600;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const approve = async (page: Page) => {
  await page.getByText('Time left').waitFor();
  await button(page, 'Approve').click();
};
const votesOf = async (approval_id: string) => (await world.read(approval_id)).votes.map(({ voter_id, vote }) => `${voter_id} ${vote}`);
const status = (approval_id: string) => expect.poll(async () => (await world.read(approval_id)).status, { timeout: 20_000 });
const stored = (page: Page) => page.evaluate(() => sessionStorage.getItem('countersign:draft:votes'));
/** The key of the session that a page has. */
const keyIdOf = async (page: Page) =>
  (await page.evaluate(async () => (await (await fetch('/v1/session')).json()) as { key_id: string })).key_id;
const revokeKey = async (page: Page) =>
  expect((await world.console.admin.request('DELETE', `/v1/keys/${await keyIdOf(page)}`)).status).toBeLessThan(300);

test.each(['phone', 'laptop'] as const)(
  'on a %s, an earlier vote is sent at once and can be withdrawn; the last one is held and can be undone',
  async (viewport) => {
    const approval_id = await world.pay();
    const first = await world.page(ann, pathOf(approval_id), { viewport });
    await approve(first.page);
    await first.page.getByText('Your approval counts').waitFor();
    await first.page.getByText('1 more must agree.').waitFor();
    await expectSound(first);
    await setTimeout(SECOND_TAP_MS);
    await button(first.page, 'Withdraw my vote').click();
    await first.page.getByText('Withdrawn').waitFor();
    await button(first.page, 'Approve').click();
    await first.page.getByText('Your approval counts').waitFor();
    const last = await world.page(bob, pathOf(approval_id), { viewport });
    await last.page.getByText('Nobody else: yours is the last approval').waitFor();
    await button(last.page, 'Approve').click();
    await last.page.getByText(/Approving in \d s/).waitFor();
    await expectSound(last);
    await screenshot(last, `approval-held-${viewport}`);
    expect(await stored(last.page)).toContain(approval_id);
    await button(last.page, 'Undo').click();
    await button(last.page, 'Approve').waitFor();
    expect([await stored(last.page), await votesOf(approval_id)]).toEqual([null, ['ann approve', 'ann revoke', 'ann approve']]);
    await button(last.page, 'Approve').click();
    await last.page.getByText('Approved.').waitFor({ timeout: 30_000 });
    expect(await world.read(approval_id)).toMatchObject({ status: 'granted', decided_by: 'ann, bob' });
    expect(await stored(last.page)).toBeNull();
    // the other page says in place how the request ended
    await first.page.locator('.ended').getByText('Approved').waitFor({ timeout: 30_000 });
    await screenshot(last, `approval-granted-${viewport}`);
  },
);

test('leaving the page sends a held vote', async () => {
  const approval_id = await world.write();
  const { page } = await world.page(ann, pathOf(approval_id), { hold_s: 30 });
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  await page.goto('/docs');
  await status(approval_id).toBe('granted');
});

test('closing the tab sends a held vote', async () => {
  const approval_id = await world.write();
  const { page } = await world.page(ann, pathOf(approval_id), { hold_s: 30 });
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  await page.close({ runBeforeUnload: true });
  await status(approval_id).toBe('granted');
});

test('opening another request sends a held vote, and a message says what came of it', async () => {
  const [approval_id, other] = [await world.write(), await world.write()];
  const { page } = await world.page(ann, pathOf(approval_id), { hold_s: 30 });
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  await page.locator(`[data-row-of="${other}"]`).click();
  await page
    .locator('.toast')
    .getByText(/^Approved: /)
    .waitFor();
  expect((await world.read(approval_id)).status).toBe('granted');
  expect((await world.read(other)).votes).toEqual([]);
});

test('signing out sends a held vote first', async () => {
  const approval_id = await world.write();
  const { page } = await world.page(ann, pathOf(approval_id), { hold_s: 30 });
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  await button(page, 'Sign out').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await status(approval_id).toBe('granted');
});

test('of two people who vote at once the slower one is told who was faster and when', async () => {
  const approval_id = await world.write();
  const observed = await world.page(ann, pathOf(approval_id), { expected: /\/votes$/ });
  const { page } = observed;
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  expect((await bob.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'deny' })).status).toBe(200);
  await button(page, 'Send now').click();
  await page.getByText('bob was faster').waitFor();
  await page.getByText(/bob denied it at .*\d\d:\d\d/).waitFor();
  await page.locator('.ended').getByText('Denied').waitFor({ timeout: 30_000 });
  await expectSound(observed);
  await screenshot(observed, 'approval-too-late');
});

test('a person whose key is revoked signs in again, and sends the vote that was refused', async () => {
  const approval_id = await world.write();
  const carl = await world.person('carl');
  const observed = await world.page(carl, pathOf(approval_id), { expected: /\/v1\// });
  const { page } = observed;
  await page.getByText('Time left').waitFor();
  await button(page, 'Approve').click();
  await page.getByText(/Approving in/).waitFor();
  await revokeKey(page);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor({ timeout: 60_000 });
  expect(await stored(page)).toContain(approval_id);
  // behind the dialog: a vote that is still held is sent by itself after a quick sign-in
  await page.locator('button', { hasText: 'Send again' }).waitFor({ state: 'attached' });
  expect(await votesOf(approval_id)).toEqual([]);
  await dialog.getByLabel('API key').fill((await world.person('carl')).key);
  await dialog.getByRole('button', { name: 'Sign in with the key' }).click();
  await dialog.waitFor({ state: 'detached' });
  await button(page, 'Send again').click();
  await page.getByText('Approved.').waitFor();
  expect(await world.read(approval_id)).toMatchObject({ status: 'granted', decided_by: 'carl' });
});

test('a session that ends while a person edits keeps the draft; the edit is reviewed, and a new request follows', async () => {
  const approval_id = await world.pay({ amount: 100 });
  const dora = await world.person('dora');
  const observed = await world.page(dora, pathOf(approval_id), { expected: /\/v1\// });
  const { page } = observed;
  await page.getByText('Time left').waitFor();
  await button(page, 'Edit inputs').click();
  const editor = page.getByRole('dialog', { name: 'Edit the inputs' });
  await editor.getByLabel('amount').fill('80');
  await expectSound(observed);
  await screenshot(observed, 'approval-edit');
  await revokeKey(page);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor({ timeout: 60_000 });
  await dialog.getByLabel('API key').fill((await world.person('dora')).key);
  await dialog.getByRole('button', { name: 'Sign in with the key' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await editor.getByLabel('amount').inputValue()).toBe('80');
  await page.reload();
  await page.getByText('Time left').waitFor();
  await page.keyboard.press('e');
  expect(await editor.getByLabel('amount').inputValue()).toBe('80');
  await editor.getByRole('button', { name: 'Review 1 change' }).click();
  const review = page.getByRole('dialog', { name: 'What you changed' });
  await review.getByText('/amount').waitFor();
  await screenshot(observed, 'approval-edit-review');
  await review.getByRole('button', { name: 'Send the edit' }).click();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('heading', { name: /^Pay 80 / }).waitFor();
  await page.getByText('dora edited the inputs').first().waitFor();
  expect((await world.read(approval_id)).status).toBe('superseded');
});

test('passing on, a grant with bounds and a denial with its reason are sent as they are shown', async () => {
  const observed = await world.page(ann, pathOf(await world.pay()));
  const { page } = observed;
  await page.getByText('Time left').waitFor();
  await button(page, 'Approve similar').click();
  const grant = page.getByRole('dialog', { name: 'Approve this and similar calls' });
  await grant.getByLabel('Calls at most').fill('3');
  await grant.getByText('Up to 3 more calls of pay_supplier by invoice-agent within 10 min will not ask again.').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'approval-grant');
  await grant.getByRole('button', { name: 'Approve with these bounds' }).click();
  await page.getByText('Your approval counts').waitFor();
  const passed = await world.pay();
  await page.goto(pathOf(passed));
  await page.getByText('Time left').waitFor();
  await button(page, 'Pass on').click();
  await page.getByRole('dialog').getByRole('button', { name: 'bob' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pass on' }).click();
  await page.getByText('Passed on').waitFor();
  await button(page, 'Take my vote back').waitFor();
  expect(await votesOf(passed)).toEqual(['ann delegate']);
});

test('without a connection a vote is kept and sent again when its voter says so', async () => {
  const approval_id = await world.pay();
  const observed = await world.page(ann, pathOf(approval_id), { expected: /./ });
  const { page } = observed;
  await page.getByText('Time left').waitFor();
  await page.context().setOffline(true);
  await button(page, 'Approve').click();
  await page.getByText('It is not known whether your vote arrived.').waitFor();
  expect(await stored(page)).toContain(approval_id);
  await page.context().setOffline(false);
  await button(page, 'Send again').click();
  await page.getByText('Your approval counts').waitFor();
  expect(await votesOf(approval_id)).toEqual(['ann approve']);
});

test('a double click on Approve neither withdraws the vote nor sends it twice', async () => {
  const approval_id = await world.pay();
  const { page } = await world.page(ann, pathOf(approval_id));
  await page.getByText('Time left').waitFor();
  await button(page, 'Approve').dblclick({ delay: 120 });
  await button(page, 'Withdraw my vote').waitFor();
  expect(await votesOf(approval_id)).toEqual(['ann approve']);
});

test('a reload while a vote is held loses nothing', async () => {
  const approval_id = await world.write();
  const { page } = await world.page(ann, pathOf(approval_id), { hold_s: 30, expected: /\/votes$/ });
  await approve(page);
  await page.getByText(/Approving in/).waitFor();
  await page.reload();
  await page.getByText('Approved.').waitFor({ timeout: 30_000 });
  expect(await votesOf(approval_id)).toContain('ann approve');
  await expect.poll(() => stored(page)).toBeNull();
});
