import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ObservedPage } from './observed-page.js';
import type { PoliciesWorld } from './policies-world.js';

/** The editor of a draft, in its shadow root. */
export const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the draft, JSON' });
export const check = (page: Page) => page.getByRole('region', { name: 'Check of the draft' });
export const textOf = (rules: readonly object[], more: object = {}) => JSON.stringify({ ...more, rules }, null, 2);

/** Replaces the text of the editor by pasting. */
export async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await editor(page).evaluate((content, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** Waits until what was written last has no errors. */
export const checked = async (page: Page): Promise<void> => {
  await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isEnabled(), { timeout: 30_000 }).toBe(true);
  await check(page).getByText('No errors').waitFor();
};

/** A page with an empty draft. */
export async function draft(world: PoliciesWorld, more: Parameters<PoliciesWorld['open']>[1] = {}): Promise<ObservedPage> {
  const observed = await world.open('/policies?tab=draft', more);
  await observed.page.getByRole('button', { name: 'Start empty' }).click();
  await check(observed.page).getByText('No errors').waitFor();
  await editor(observed.page).waitFor();
  return observed;
}
