import { SCREENS } from '@countersign/console/app/screens';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObservedPage } from './observed-page.js';
import { adminKey } from './people.js';
import { RecordsWorld } from './records-world.js';
import { SagaStories } from './saga-stories.js';
import { expectSound, screenshot } from './sound-page.js';

const SIZES = ['phone', 'laptop'] as const;
const GONE = 'No connection to the gateway.';

/** A platform with something on each screen. */
interface Records {
  world: RecordsWorld;
  key: string;
  /** What stands for the parameter of a path. */
  ids: Record<string, string>;
  /** A saga to cancel. */
  cancelled: string;
}

async function records(): Promise<Records> {
  const world = await RecordsWorld.start();
  const case_id = await world.openCase('Order 7 is late');
  const waiting = await world.waiting({ case_id });
  const sagas = new SagaStories(world.console, world.agent);
  const ids = {
    '/approvals/:id': waiting.approval?.approval_id as string,
    '/cases/:id': case_id,
    '/calls/:id': waiting.call_id,
    '/tools/:name': 'write_file',
    '/sagas/:id': await sagas.waiting(),
    '/upstreams/:name': await world.upstream(),
    '/openapi-imports/:name': await world.openApiImport(),
    '/policies/:version': await world.policyVersion(),
  };
  return { world, key: adminKey(world.console), ids, cancelled: await sagas.waiting() };
}

/** Each screen once, with an item where its path names one. */
const PATHS = SCREENS.map(({ path }) => path).filter((path) => path !== '/sign-in');
const addressOf = (path: string, ids: Records['ids']): string => {
  if (!path.includes(':')) return path;
  const id = ids[path];
  if (id === undefined) throw new Error(`${path}: name an item for it in this spec`);
  return path.replace(/:\w+/, encodeURIComponent(id));
};

const cut = ({ page }: ObservedPage, is_offline: boolean) => page.context().setOffline(is_offline);
/** The screen has read what it shows. */
async function settled(page: Page): Promise<void> {
  await page.locator('main').getByRole('heading').first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}
/** Where a part of the screen, beside the banner, says why it is not there. */
const said = (page: Page) => page.locator('main > :not(.banner)').getByText(/no connection|did not answer/i);
/** What a screen consists of, without what changes by itself. */
const parts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = [...document.querySelectorAll('main h1, main h2, main h3')].map(({ textContent }) => textContent ?? '');
    return [...texts, `${document.querySelectorAll('main [role="row"], main tr, main [role="option"]').length} rows`];
  });

// Side by side, each on a platform of its own: they wait for the console to ask the gateway again.
describe.concurrent.each(SIZES)('on a %s', (viewport) => {
  let at: Records;
  beforeAll(async () => {
    at = await records();
  }, 120_000);
  afterAll(() => at?.world.close());
  const open = () => at.world.console.page({ key: at.key, viewport, expected: /./ });

  test.sequential(
    'each screen says that the network is gone and from when it is, keeps what it shows, and goes on by itself',
    async () => {
      const observed = await open();
      const { page } = observed;
      for (const path of PATHS) {
        await page.goto(addressOf(path, at.ids));
        await settled(page);
        await page.waitForLoadState('networkidle').catch(() => undefined);
        const before = await parts(page);
        await cut(observed, true);
        const banner = page.locator('.banner');
        await banner.getByText(GONE).waitFor({ timeout: 20_000 });
        await banner.getByText(/What you see is from/).waitFor();
        expect([path, await banner.locator('time').getAttribute('datetime')]).toEqual([path, expect.stringMatching(/^\d{4}-/)]);
        expect([path, await parts(page)]).toEqual([path, before]);
        await expectSound(observed);
        if (path === '/calls' || path === '/approvals') await screenshot(observed, `offline-${path.slice(1)}-${viewport}`);
        await cut(observed, false);
        await banner.waitFor({ state: 'detached', timeout: 20_000 });
        await expect.poll(() => parts(page), { timeout: 20_000 }).toEqual(before);
      }
    },
    240_000,
  );

  test.sequential(
    'each screen that is opened without an answer of the gateway says so, and comes by itself',
    async () => {
      const observed = await open();
      const { page } = observed;
      const api = (url: URL) =>
        url.pathname === '/healthz' || url.pathname === '/readyz' || (url.pathname.startsWith('/v1/') && url.pathname !== '/v1/session');
      for (const path of PATHS) {
        await page.route(api, (route) => route.abort());
        await page.goto(addressOf(path, at.ids));
        await page.locator('.banner').getByText(GONE).waitFor({ timeout: 20_000 });
        await settled(page);
        await expect.poll(() => said(page).count(), { message: path, timeout: 20_000 }).toBeGreaterThan(0);
        await expectSound(observed);
        await page.unroute(api);
        await page.locator('.banner').waitFor({ state: 'detached', timeout: 30_000 });
        await settled(page);
        await expect.poll(() => said(page).count(), { message: path, timeout: 20_000 }).toBe(0);
      }
    },
    240_000,
  );

  test.sequential('a screen whose script was never loaded opens once the network is back', async () => {
    const observed = await open();
    const { page } = observed;
    await page.goto('/');
    await settled(page);
    await cut(observed, true);
    await page.locator('.banner').waitFor({ timeout: 20_000 });
    await page.keyboard.press('g');
    await page.keyboard.press('y');
    await page.getByText('This page was not opened before.', { exact: false }).waitFor();
    await expectSound(observed);
    await screenshot(observed, `offline-unloaded-${viewport}`);
    await cut(observed, false);
    await page.locator('.usage-tiles').waitFor({ timeout: 30_000 });
    expect(new URL(page.url()).pathname).toBe('/usage');
    expect(await page.locator('.usage-tiles').evaluate((tiles) => getComputedStyle(tiles).display)).toBe('grid');
  });

  test.sequential('who opens the console while the gateway does not answer is told so, and is not asked to sign in', async () => {
    const observed = await open();
    const { page } = observed;
    const api = (url: URL) => url.pathname === '/healthz' || url.pathname.startsWith('/v1/');
    await page.route(api, (route) => route.abort());
    await page.goto('/calls');
    await page.locator('.banner').getByText(GONE).waitFor();
    expect(await page.getByLabel('API key').count()).toBe(0);
    await expectSound(observed);
    await page.unroute(api);
    await page.getByRole('table', { name: 'Calls' }).waitFor({ timeout: 30_000 });
  });

  test.sequential(
    'a form keeps what was typed while the network is gone, says why it was not sent, and can be sent afterwards',
    async () => {
      for (const { address, begin, label, send, done } of forms(at.cancelled)) {
        const observed = await open();
        const { page } = observed;
        await page.goto(address);
        await settled(page);
        await begin(page);
        const field = page.getByLabel(label);
        await field.fill('typed before the cut');
        await cut(observed, true);
        await page.locator('.banner').waitFor({ timeout: 20_000 });
        expect([label, await field.inputValue()]).toEqual([label, 'typed before the cut']);
        await send(page);
        await page.getByText('The gateway did not answer', { exact: false }).first().waitFor();
        expect([label, await field.inputValue()]).toEqual([label, 'typed before the cut']);
        await expectSound(observed);
        await cut(observed, false);
        await page.locator('.banner').waitFor({ state: 'detached', timeout: 20_000 });
        expect([label, await field.inputValue()]).toEqual([label, 'typed before the cut']);
        await send(page);
        await done(page);
        await page.context().close();
      }
    },
    120_000,
  );
});

interface Form {
  address: string;
  begin: (page: Page) => Promise<unknown>;
  label: string;
  send: (page: Page) => Promise<void>;
  done: (page: Page) => Promise<unknown>;
}

const inDialog = (name: string) => (page: Page) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const dialogGone = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached', timeout: 20_000 });

const forms = (saga_id: string): Form[] => [
  {
    address: '/tools/write_file?tab=try',
    begin: (page) => page.getByLabel('path').fill('offline.txt'),
    label: 'content',
    send: (page) => page.getByRole('button', { name: 'See what policy decides' }).click(),
    done: (page) => page.getByText('It would run').waitFor(),
  },
  {
    address: '/settings',
    begin: async (page) => {
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Id', { exact: true }).fill('batch');
      await page.getByLabel('auditor').check();
    },
    label: 'Name',
    send: inDialog('Create'),
    done: (page) => page.getByRole('dialog', { name: 'Your new key' }).waitFor(),
  },
  {
    address: `/sagas/${saga_id}`,
    begin: (page) => page.getByRole('button', { name: 'Cancel the saga' }).click(),
    label: 'Reason (optional)',
    send: inDialog('Cancel the saga'),
    done: dialogGone,
  },
];
