import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONSOLE_POLICY } from '@countersign/gateway/console/console-headers';
import type { BrowserContext } from 'playwright-core';
import { build } from 'vite';
import { browser, type Theme, VIEWPORTS, type ViewportName } from './browser.js';
import { ObservedPage } from './observed-page.js';

const ORIGIN = 'http://127.0.0.1:9';
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The elements of the console on a page of their own, under the console's policy. Nothing listens: the browser is given the files. */
export class GalleryPages {
  private readonly contexts: BrowserContext[] = [];

  private constructor(private readonly folder: string) {}

  static async build(): Promise<GalleryPages> {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-gallery-'));
    const config = 'apps/console/vite.config.js';
    await build({
      configFile: config,
      build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: 'apps/console/gallery.html' } },
    });
    return new GalleryPages(folder);
  }

  async open(viewport: ViewportName, theme: Theme): Promise<ObservedPage> {
    const context = await (await browser()).newContext({ ...VIEWPORTS[viewport], colorScheme: theme, reducedMotion: 'reduce' });
    this.contexts.push(context);
    await context.route(`${ORIGIN}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      const file = pathname.startsWith('/console/') ? pathname.slice('/console/'.length) : 'gallery.html';
      const contentType = TYPES[path.extname(file)] ?? 'application/octet-stream';
      return route.fulfill({
        body: readFileSync(path.join(this.folder, file)),
        contentType,
        headers: { 'content-security-policy': CONSOLE_POLICY },
      });
    });
    const observed = await ObservedPage.open(context);
    await observed.page.goto(`${ORIGIN}/`);
    await observed.page.getByRole('heading', { name: 'Gallery' }).waitFor();
    return observed;
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
