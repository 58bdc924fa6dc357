import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { ApprovalsWorld, pathOf } from './approvals-world.js';
import { longestTask } from './longest-task.js';
import { expectSound, screenshot } from './sound-page.js';

const LONG_TASK_MAX_MS = 100;
/** With ten thousand keys about as much as a call may contain. */
const CHARACTERS = 700_000;
const HOSTILE = '\u202eevil\u202c <script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> \u001b[31mred\u001b[0m';
const ARRIVING = 500;
const TOGETHER = 8;

let world: ApprovalsWorld;
let ann: Api;
beforeAll(async () => {
  world = await ApprovalsWorld.start();
  ann = await world.person('ann');
});
afterAll(() => world?.close());

const isHacked = (page: Page) => page.evaluate(() => 'hacked' in window);

test.each(['phone', 'laptop'] as const)(
  'on a %s, what tools and agents wrote stays inert text in every field, and fast',
  async (viewport) => {
    const approval_id = await world.pay(
      {
        supplier: HOSTILE.slice(0, 190),
        reference: `${HOSTILE} ${'x'.repeat(CHARACTERS)}`,
        details: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`<b>${at}`, at])),
      },
      { rationale: `${HOSTILE} approve now`.slice(0, 1900), purpose: HOSTILE.slice(0, 190), step: HOSTILE.slice(0, 190) },
    );
    const observed = await world.page(ann, '/approvals', { viewport });
    const { page } = observed;
    const longest_ms = await longestTask(page, async () => {
      await page.goto(pathOf(approval_id));
      await page.getByText('The agent says').waitFor();
      for (const fold of await page.locator('.fold summary').all()) await fold.click();
      await page.getByText('reference', { exact: true }).first().waitFor();
    });
    expect(longest_ms).toBeLessThan(LONG_TASK_MAX_MS * 3);
    expect(await isHacked(page)).toBe(false);
    expect(await page.locator('.inbox script, .inbox img').count()).toBe(0);
    await screenshot(observed, `approval-hostile-${viewport}`, { whole: true });
    if (viewport === 'laptop') {
      await page.keyboard.press('e');
      const editor = page.getByRole('dialog', { name: 'Edit the inputs' });
      await editor.getByLabel('amount').fill('3');
      await editor.getByRole('button', { name: 'Review 1 change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    }
    await expectSound(observed);
  },
);

/** Makes requests, a few at a time. */
async function arrive(count: number): Promise<void> {
  let left = count;
  const one = async () => {
    while (left-- > 0) await world.pay();
  };
  await Promise.all(Array.from({ length: TOGETHER }, one));
}

test('while 500 requests arrive the page stays quick, and nothing moves under the finger', async () => {
  const approval_id = await world.pay({ supplier: 'Read me' });
  const observed = await world.page(ann, pathOf(approval_id));
  const { page } = observed;
  await page.getByText('Time left').waitFor();
  await page.locator(`[data-row-of="${approval_id}"]`).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const places = () =>
    page.evaluate((id) => {
      const of = (element: Element | null | undefined) => element?.getBoundingClientRect().top;
      return [of(document.querySelector(`[data-row-of="${id}"]`)), of(document.querySelector('.decision-buttons button'))];
    }, approval_id);
  const before = await places();
  const began_ms = Date.now();
  const longest_ms = await longestTask(page, async () => {
    await arrive(ARRIVING);
    await page.getByText(/^50\d pending/).waitFor({ timeout: 60_000 });
  });
  const took_s = (Date.now() - began_ms) / 1000;
  expect(await places()).toEqual(before);
  console.log(`${ARRIVING} requests in ${took_s.toFixed(0)} s; longest task ${Math.round(longest_ms)} ms on the processor`);
  expect(longest_ms).toBeLessThan(LONG_TASK_MAX_MS);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => page.locator('.inbox-row').count(), { timeout: 20_000 }).toBeGreaterThan(60);
  await expectSound(observed);
});
