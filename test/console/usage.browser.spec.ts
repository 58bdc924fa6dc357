import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { order } from '../journeys/journey-world.js';
import { LOOKS } from './browser.js';
import type { PageOptions } from './console-world.js';
import { RecordsWorld } from './records-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: RecordsWorld;
beforeAll(async () => {
  world = await RecordsWorld.start();
  await world.call('probe_http_effect', order());
  await world.call('probe_http_effect', order());
  await world.call('probe_fail', { effect: 'none', code: 'PROVIDER_ERROR' });
  await world.doubtful();
}, 90_000);
afterAll(() => world.close());

const open = async (address: string, more: PageOptions = {}) => {
  const observed = await world.console.page({ key: world.you.key, ...more });
  await observed.page.goto(address);
  return observed;
};
const ready = (page: Page) => page.locator('.plot-place canvas').nth(2).waitFor();
/** The value of a tile. */
const tile = (page: Page, title: string) => page.locator('.usage-tile', { hasText: title }).locator('.usage-value').innerText();
/** The cells of the last row of a chart's table: today. */
const today = async (page: Page, chart: string): Promise<string[]> => {
  const figure = page.getByRole('figure', { name: chart, exact: true });
  await figure.getByText('As a table').click();
  return figure.locator('tbody tr').last().locator('td').allInnerTexts();
};

test.each(LOOKS)('usage shows calls, cost and time of a period, on a %s in %s', async (viewport, theme) => {
  const observed = await open('/usage', { viewport, theme });
  const { page } = observed;
  await ready(page);
  expect(Number(await tile(page, 'Calls answered'))).toBeGreaterThanOrEqual(4);
  await page.getByText(/^4 calls answered in the last 30 days, most on .* \(4\)\./).waitFor();
  await page.getByRole('table', { name: 'Tools', exact: true }).getByText('probe_http_effect').waitFor();
  await page.getByRole('table', { name: 'Agents', exact: true }).getByText('buying-agent').waitFor();
  await page.getByRole('heading', { name: 'Billing periods' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `usage-${viewport}-${theme}`, { whole: true });
});

test('each chart has its numbers as a table, and the parts add up to all calls', async () => {
  const observed = await open('/usage');
  await ready(observed.page);
  const calls = (await today(observed.page, 'Calls')).map(Number);
  expect(calls.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(calls.at(-1));
  expect(calls.at(-1)).toBe(4);
  expect((await today(observed.page, 'Time of runs')).every((text) => /ms|µs| s$/.test(text))).toBe(true);
  await expectSound(observed);
});

test('the period, its parts and its filters live in the address: they survive a reload and the way back', async () => {
  const observed = await open('/usage');
  const { page } = observed;
  await ready(page);
  await page.getByRole('button', { name: '7 days' }).click();
  await page.waitForURL(/period=7d/);
  await page.getByRole('button', { name: 'By tool' }).click();
  await page.waitForURL(/by=tool/);
  await page.getByRole('figure', { name: 'Calls', exact: true }).locator('.chart-legend').getByText('probe_http_blind').waitFor();
  await page.reload();
  await page.getByText('4 calls answered in the last 7 days', { exact: false }).waitFor();
  await page.getByRole('table', { name: 'Tools', exact: true }).getByRole('link', { name: 'probe_fail' }).click();
  await page.waitForURL(/tool=probe_fail/);
  await page.getByText('1 call answered in the last 7 days', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'By tool' }).count()).toBe(0);
  await expectSound(observed);
  await page.goBack();
  await page.getByText('4 calls answered', { exact: false }).waitFor();
});

test('dates that are no period are said beside the field, and the months stay', async () => {
  const observed = await open('/usage?period=dates&from=2026-11-02&to=2026-11-01');
  const { page } = observed;
  await page.getByText('The last day is before the first.').first().waitFor();
  await page.getByRole('heading', { name: 'Billing periods' }).waitFor();
  await expectSound(observed);
  await page.getByLabel('First day').fill('2020-01-05');
  await page.getByLabel('Last day').fill('2020-01-06');
  await page.getByText('No call was answered in this time').waitFor();
  await expectSound(observed);
});

test('what a link says is shown as text, and a choice that does not exist is the usual one', async () => {
  const tool = encodeURIComponent('<img src=x onerror="window.hostile=1">\u202egnp');
  const observed = await open(`/usage?period=constructor&by=__proto__&tool=${tool}&agent=${'a'.repeat(5_000)}`);
  const { page } = observed;
  await page.getByText('No call was answered in this time').waitFor();
  await page.getByText('RLO', { exact: true }).waitFor();
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  expect(await page.getByRole('button', { name: '30 days' }).getAttribute('aria-pressed')).toBe('true');
  await expectSound(observed);
  await page.getByRole('button', { name: /^Remove Agent/ }).click();
  await page.getByRole('button', { name: /^Remove Tool/ }).click();
  await page.waitForURL((url) => !url.search.includes('tool'));
  await ready(page);
});

test('the lines of a month are downloaded as they are', async () => {
  const observed = await open('/usage');
  const [download] = await Promise.all([
    observed.page.waitForEvent('download'),
    observed.page.getByRole('button', { name: 'CSV', exact: true }).first().click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^billing-\d{4}-\d{2}-provisional\.csv$/);
  expect(readFileSync(await download.path(), 'utf8').split('\n')[0]).toContain('line_id');
  await expectSound(observed);
});

test('the charts follow the theme, and no other screen loads their script', async () => {
  const observed = await open('/health');
  const { page } = observed;
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /plot-[^/]*\.js$/.test(name)).length);
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  expect(await loaded()).toBe(0);
  await page.keyboard.press('g');
  await page.keyboard.press('y');
  await page.waitForURL(/\/usage$/);
  await ready(page);
  expect(await loaded()).toBe(1);
  const corner = () =>
    page
      .locator('.plot-place canvas')
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const before = await corner();
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'dark';
  });
  await expect.poll(corner).not.toBe(before);
  await expectSound(observed);
});

test('who may only call sees the own calls, and no billing', async () => {
  const una = await world.console.admin.keyFor('user', 'una', ['agent']);
  await una.call({ tool: 'probe_http_effect', inputs: order() });
  const observed = await open('/usage', { key: una.key });
  const { page } = observed;
  await page.getByText('Your own calls, their cost and time').waitFor();
  await ready(page);
  await page.getByText('1 call answered', { exact: false }).waitFor();
  expect(await page.getByRole('heading', { name: 'Billing periods' }).count()).toBe(0);
  expect(await page.getByRole('table', { name: 'Agents', exact: true }).count()).toBe(0);
  await expectSound(observed);
});

test('a report that cannot be read says so, and comes back by itself', async () => {
  const observed = await world.console.page({ key: world.you.key, expected: /usage/ });
  const { page } = observed;
  await page.route('**/v1/usage?*', (route) => route.abort());
  await page.goto('/usage');
  await page.getByRole('heading', { name: 'No connection', exact: true }).first().waitFor();
  await expectSound(observed);
  await page.unroute('**/v1/usage?*');
  await ready(page);
  await expectSound(observed);
});
