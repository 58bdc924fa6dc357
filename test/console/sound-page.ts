import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { accessibilityFaults } from './accessibility.js';
import type { ObservedPage } from './observed-page.js';

/** Fails with what is wrong on a page: errors, violations of its policy, what axe-core ranks serious, and what is wider than the window. */
export async function expectSound(observed: ObservedPage): Promise<void> {
  expect(await observed.faults()).toEqual([]);
  expect(await accessibilityFaults(observed.page)).toEqual([]);
  const [inner, content] = await observed.page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  expect(content, 'the page is wider than the window').toBeLessThanOrEqual(inner as number);
}

/** With COUNTERSIGN_TEST_SCREENSHOTS set to a folder, keeps how the page looks there. */
export async function screenshot(observed: ObservedPage, name: string, { whole = false } = {}): Promise<void> {
  const folder = process.env.COUNTERSIGN_TEST_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await observed.page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: whole });
}
