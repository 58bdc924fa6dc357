import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let key: string;
beforeAll(async () => {
  world = await ConsoleWorld.start();
  key = (await world.admin.keyFor('user', 'ann', ['operator'])).key;
});
afterAll(() => world.close());

test.each(LOOKS)('a path without a screen says so, and leads home, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key });
  const { page } = observed;
  await page.goto('/policies?x=%E2%80%AEno-such');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `frame-${viewport}-${theme}`);
});

test('keys lead to screens, whose heading gets the focus and names the tab; `?` shows them', async () => {
  const observed = await world.page({ key });
  const { page } = observed;
  await page.goto('/settings');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await expect.poll(() => page.title()).toBe('Home · Countersign');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Home');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard' });
  await dialog.getByText('Go to Home').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'keys');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goBack();
  expect(new URL(page.url()).pathname).toBe('/settings');
});

test('the first stop of the Tab key skips to the content', async () => {
  const { page } = await world.page({ key });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('a chosen theme stays, in this tab and in others, whatever the system says', async () => {
  const observed = await world.page({ key, theme: 'light' });
  const { page } = observed;
  await page.goto('/');
  const shown = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  expect(await shown()).toBe('dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(await shown()).toBe('dark');
  await page.getByRole('radio', { name: 'As the system' }).check({ force: true });
  expect(await shown()).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(shown).toBe('dark');
});

test('a screen that cannot be loaded says so; the frame still works', async () => {
  const observed = await world.page({ key, expected: /home-screen/ });
  const { page } = observed;
  await page.route('**/console/assets/home-screen*', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.getByRole('button', { name: 'Reload' }).waitFor();
  await expectSound(observed);
  await page.unroute('**/console/assets/home-screen*');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});
