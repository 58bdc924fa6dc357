import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../journeys/journey-world.js';
import { LOOKS } from './browser.js';
import { longestTask } from './longest-task.js';
import type { ObservedPage } from './observed-page.js';
import { HOSTILE, RecordsWorld } from './records-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: RecordsWorld;
beforeAll(async () => {
  world = await RecordsWorld.start();
}, 90_000);
afterAll(() => world.close());

const open = async (address: string, more: Parameters<RecordsWorld['console']['page']>[0] = {}): Promise<ObservedPage> => {
  const observed = await world.console.page({ key: world.you.key, ...more });
  await observed.page.goto(address);
  return observed;
};
const rows = ({ page }: ObservedPage) => page.locator('.table-item');
describe('given calls of several kinds', () => {
  beforeAll(async () => {
    await world.call('probe_http_effect', order({ note: 'the first order' }));
    await world.call('probe_fail', { effect: 'none', code: 'PROVIDER_ERROR' });
    await world.waiting();
  });

  test.each(LOOKS)('the list says in a sentence what each call does, on a %s in %s', async (viewport, theme) => {
    const observed = await open('/calls', { viewport, theme });
    await observed.page.getByText('note “the first order”').first().waitFor();
    expect(await rows(observed).count()).toBeGreaterThanOrEqual(3);
    await expectSound(observed);
    await screenshot(observed, `calls-${viewport}-${theme}`);
  });

  test('filters live in the address: they survive a reload and the way back, and a chip removes one', async () => {
    const observed = await open('/calls');
    const { page } = observed;
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL(/status=failed/);
    await expect.poll(() => rows(observed).count()).toBe(1);
    await page.reload();
    await expect.poll(() => rows(observed).count()).toBe(1);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Tool').fill('probe_fail');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/status=failed&tool=probe_fail/);
    await page.goBack();
    await page.waitForURL((url) => url.search === '?status=failed');
    await page.getByRole('button', { name: 'Remove Status Failed' }).click();
    await page.waitForURL((url) => url.search === '');
    await expect.poll(() => rows(observed).count()).toBeGreaterThanOrEqual(3);
    await expectSound(observed);
  });

  test('a search finds text of the inputs, and says when nothing matches', async () => {
    const observed = await open('/calls');
    const { page } = observed;
    await rows(observed).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('the first order');
    await page.waitForURL(/text=the/);
    await expect.poll(() => rows(observed).count()).toBe(1);
    await page.getByLabel('Search calls').fill('no such thing');
    await page.getByText('No call matches these filters').waitFor();
    await expectSound(observed);
  });

  test('new calls do not move the list: a button shows them', async () => {
    const observed = await open('/calls');
    const { page } = observed;
    await rows(observed).first().waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    const before = await rows(observed).first().innerText();
    await world.call('probe_http_effect', order({ note: 'came later' }));
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
    expect((await rows(observed).first().innerText()).split('\n')[0]).toBe(before.split('\n')[0]);
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await page.getByText('came later').first().waitFor();
    await expectSound(observed);
  });

  test('j, k and Enter open a call', async () => {
    const observed = await open('/calls');
    const { page } = observed;
    await rows(observed).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('0');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/calls\/\d-/);
  });
});

test('a repeat says which call answered it', async () => {
  const inputs = order();
  const first = await world.call('probe_http_effect', inputs);
  const again = await world.call('probe_http_effect', inputs);
  const observed = await open(`/calls/${again.call_id}`);
  await observed.page.getByText('The tool did not run for this request.').waitFor();
  await observed.page.getByRole('link', { name: 'See that call' }).click();
  await observed.page.waitForURL(`**/calls/${first.call_id}`);
});

test.each(['phone', 'laptop'] as const)('hostile inputs stay text and keep the page fast on a %s', async (viewport) => {
  const content = HOSTILE + 'A'.repeat(600_000);
  const call = await world.call(
    'write_file',
    { path: `hostile-${viewport}.txt`, content },
    { context: { rationale: HOSTILE, run_id: HOSTILE.slice(0, 150), purpose: HOSTILE } },
  );
  const observed = await open('/calls', { viewport });
  const { page } = observed;
  const longest_ms = await longestTask(page, async () => {
    await page.goto(`/calls/${call.call_id}`);
    await page.getByText('Show the first').or(page.getByText('Show all')).first().waitFor();
  });
  expect(longest_ms).toBeLessThan(400);
  expect(await page.evaluate(() => (window as unknown as { hostile?: number }).hostile)).toBeUndefined();
  expect(await page.locator('main script, main img').count()).toBe(0);
  await page.getByText('RLO', { exact: true }).first().waitFor();
  await expectSound(observed);
  await page.goto('/calls');
  await rows(observed).first().waitFor();
  expect(await page.evaluate(() => (window as unknown as { hostile?: number }).hostile)).toBeUndefined();
  await expectSound(observed);
});

test('a call that does not exist is said in words, with a way on', async () => {
  const observed = await open('/calls/1-01a21c2d-f4bb-7002-bf78-ab1d049b8073', { expected: /\/v1\/calls\// });
  await observed.page.getByText('There is no such call').waitFor();
  await expectSound(observed);
});

test('a person without the roles sees no actions that would be refused', async () => {
  const auditor = await world.console.admin.keyFor('user', 'audra', ['auditor']);
  const doubtful = await world.doubtful();
  const observed = await open(`/calls/${doubtful.call_id}`, { key: auditor.key });
  await observed.page.getByRole('button', { name: 'Evidence' }).waitFor();
  for (const name of ['Resolve', 'Undo', 'Run again', 'Cancel call'])
    expect(await observed.page.getByRole('button', { name, exact: true }).count()).toBe(0);
  await expectSound(observed);
});
