import { type Browser, chromium } from 'playwright-core';

let launched: Promise<Browser> | undefined;

/** One Chromium for all specs of a worker; it ends with the process. */
export function browser(): Promise<Browser> {
  const executablePath = process.env.COUNTERSIGN_TEST_BROWSER ?? '/usr/bin/chromium';
  launched ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return launched;
}

export type Theme = 'light' | 'dark';

/** A phone and a laptop, as options of a browser context. */
export const VIEWPORTS = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  laptop: { viewport: { width: 1280, height: 800 } },
} as const;
export type ViewportName = keyof typeof VIEWPORTS;

/** Every size with every theme: `test.each(LOOKS)('… at %s, %s', …)`. */
export const LOOKS: readonly (readonly [ViewportName, Theme])[] = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['laptop', 'light'],
  ['laptop', 'dark'],
];
