import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { GalleryPages } from './gallery.js';
import { expectSound, screenshot } from './sound-page.js';

let gallery: GalleryPages;
beforeAll(async () => {
  gallery = await GalleryPages.build();
});
afterAll(() => gallery.close());

test.each(LOOKS)('every element is readable and reachable on a %s in %s', async (viewport, theme) => {
  const observed = await gallery.open(viewport, theme);
  await expectSound(observed);
  await screenshot(observed, `gallery-${viewport}-${theme}`, { whole: true });
  for (const tab of ['Diff', 'Hostile']) {
    await observed.page.getByRole('tab', { name: tab }).click();
    await expectSound(observed);
    await screenshot(observed, `gallery-${tab}-${viewport}-${theme}`);
  }
});

test('text of tools and agents is inert: it runs nothing, loads nothing, hides nothing and leaves its neighbours where they are', async () => {
  const observed = await gallery.open('phone', 'light');
  const { page } = observed;
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.getByRole('tab', { name: 'Hostile' }).click();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('<script>').waitFor();
  for (const mark of ['ESC', 'RLO', 'ZWSP', 'U+E0069', 'CR'])
    expect(await panel.getByText(mark, { exact: true }).count()).toBeGreaterThan(0);
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
  expect(await panel.locator('script, img, a, iframe').count()).toBe(0);
  expect(requested).toEqual([]);
  await expectSound(observed);
  await panel.getByRole('button', { name: /Show the first/ }).click();
  await expect.poll(() => panel.getByText('RLO', { exact: true }).count()).toBeGreaterThan(500);
  expect(await page.getByRole('tabpanel').locator('.inert-mark').count()).toBeLessThan(5_000);
});

test('a list of two thousand draws what is in view, and its rows are reached by keyboard', async () => {
  const observed = await gallery.open('laptop', 'light');
  const { page } = observed;
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('/calls/call-0');
  await page.keyboard.press('End');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('/calls/call-1999');
  expect(await page.getByRole('row').count()).toBeLessThan(150);
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(50_000);
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).pathname).toBe('/calls/call-1999');
  expect(await observed.faults()).toEqual([]);
});

test('a dialog keeps the focus, closes by Escape and gives the focus back; shortcuts rest meanwhile', async () => {
  const { page } = await gallery.open('laptop', 'dark');
  const deny = page.getByRole('button', { name: 'Deny' });
  await deny.focus();
  await deny.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Deny this call' });
  await dialog.waitFor();
  await page.keyboard.press('j');
  for (let tab = 0; tab < 6; tab++) {
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(
      () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
    );
    expect(inside).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), { timeout: 5_000 }).toBe('Deny');
});

test('a message is announced, stays while it has the pointer, and its action runs', async () => {
  const { page } = await gallery.open('laptop', 'light');
  await page.getByRole('button', { name: 'Approve' }).click();
  const status = page.locator('.toasts');
  expect(await status.getAttribute('aria-live')).toBe('polite');
  await status.getByText('Approved').hover();
  await status.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('undone');
  expect(await status.getByText('Approved').count()).toBe(0);
});

test('`/` gives the focus to the search, which lives in the address', async () => {
  const { page } = await gallery.open('laptop', 'light');
  await page.keyboard.press('/');
  await page.keyboard.type('refund');
  await expect.poll(() => new URL(page.url()).search).toBe('?q=refund');
  await page.reload();
  expect(await page.getByLabel('Search calls').inputValue()).toBe('refund');
});

test('a draft outlives a reload of its tab, and is in no other tab', async () => {
  const observed = await gallery.open('laptop', 'light');
  const { page } = observed;
  await page.getByLabel('Reason').fill('because of the amount');
  await page.reload();
  expect(await page.getByLabel('Reason').inputValue()).toBe('because of the amount');
  const other = await page.context().newPage();
  await other.goto(page.url());
  expect(await other.getByLabel('Reason').inputValue()).toBe('');
});

test('the exact time is shown to the pointer and to the keyboard', async () => {
  const { page } = await gallery.open('laptop', 'light');
  const time = page.locator('header time');
  expect(await time.getAttribute('title')).toMatch(/20\d\d.*\d:\d\d:\d\d/);
  await time.focus();
  const shown = await time.evaluate((element) => getComputedStyle(element, '::after').content);
  expect(shown).toContain(await time.getAttribute('title'));
  expect(await page.locator('[role=row] time[tabindex]').count()).toBe(0);
});
