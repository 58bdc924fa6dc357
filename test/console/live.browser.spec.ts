import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { ConsoleWorld } from './console-world.js';
import { ObservedPage } from './observed-page.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let agent: Api;
beforeAll(async () => {
  world = await ConsoleWorld.start();
  agent = await world.admin.keyFor('agent', 'writer', ['agent']);
});
afterAll(() => world.close());

let files = 0;
/** One more call; resolves with the number of calls so far. */
async function call(): Promise<number> {
  files += 1;
  const answer = await agent.call({ tool: 'write_file', inputs: { path: `file-${files}.txt`, content: 'x', mode: 'create' } });
  expect(answer.body).toMatchObject({ status: 'succeeded' });
  return files;
}

/** Requests of a browser by the beginning of their path. */
function counted(context: BrowserContext, path: string): () => number {
  let count = 0;
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === path) count += 1;
  });
  return () => count;
}

const operator = async (id: string) => (await world.admin.keyFor('user', id, ['operator'])).key;
const rows = (observed: ObservedPage) => observed.page.getByRole('table', { name: 'Latest calls' }).getByRole('row').count();

test('a call appears by itself; what does not change is not asked for', async () => {
  const observed = await world.page({ key: await operator('watcher') });
  const { page } = observed;
  await page.goto('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForLoadState('load');
  await call();
  await expect.poll(() => rows(observed), { timeout: 20_000 }).toBe(files + 1);
  const lists = counted(page.context(), '/v1/calls');
  await call();
  await expect.poll(() => rows(observed), { timeout: 20_000 }).toBe(files + 1);
  expect(lists()).toBeLessThanOrEqual(4);
  await expectSound(observed);
  await screenshot(observed, 'home-live');
});

test('tabs share one stream; when the tab that reads it closes, another one resumes and misses nothing', async () => {
  const first = await world.page({ key: await operator('two-tabs') });
  const context = first.page.context();
  const streams = counted(context, '/v1/events');
  await first.page.goto('/');
  await first.page.getByText('Live', { exact: true }).waitFor();
  const second = await ObservedPage.open(context);
  await second.page.goto('/');
  await second.page.getByText('Live', { exact: true }).waitFor();
  expect(streams()).toBe(1);
  await call();
  const shown = Math.min(files, 8) + 1;
  await expect.poll(() => rows(second), { timeout: 20_000 }).toBe(shown);
  await first.page.close();
  await expect.poll(streams, { timeout: 20_000 }).toBe(2);
  await call();
  await expect.poll(() => rows(second), { timeout: 20_000 }).toBe(Math.min(files, 8) + 1);
  expect(await second.faults()).toEqual([]);
});

test('while the gateway is down the page says so and keeps what it shows; afterwards it goes on by itself', async () => {
  const observed = await world.page({ key: await operator('outage'), expected: /./ });
  const { page } = observed;
  await page.goto('/');
  await page.getByText('Live', { exact: true }).waitFor();
  const shown = Math.min(files, 8) + 1;
  await expect.poll(() => rows(observed), { timeout: 20_000 }).toBe(shown);
  await world.platform.process.stop();
  await page.getByText('No connection to the gateway.').waitFor({ timeout: 30_000 });
  expect(await rows(observed)).toBe(shown);
  await screenshot(observed, 'no-connection');
  await world.platform.up();
  await page.getByText('No connection to the gateway.').waitFor({ state: 'detached', timeout: 60_000 });
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 });
  await call();
  await expect.poll(() => rows(observed), { timeout: 20_000 }).toBe(Math.min(files, 8) + 1);
});

test('a person whose key is revoked meanwhile is asked to sign in over the page, which stays as it is', async () => {
  const key = await operator('revoked');
  const observed = await world.page({ key, expected: /\/v1\/(session|events|calls)/ });
  const { page } = observed;
  await page.goto('/?tab=here');
  await page.getByRole('table', { name: 'Latest calls' }).waitFor();
  const { key_id } = await page.evaluate(async () => (await (await fetch('/v1/session')).json()) as { key_id: string });
  const revoked = await world.admin.request('DELETE', `/v1/keys/${key_id}`);
  expect(revoked.status).toBeLessThan(300);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor({ timeout: 60_000 });
  await screenshot(observed, 'session-ended');
  expect(await rows(observed)).toBeGreaterThan(1);
  await dialog.getByLabel('API key').fill(await operator('revoked'));
  await dialog.getByRole('button', { name: 'Sign in with the key' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?tab=here');
  await page.getByRole('table', { name: 'Latest calls' }).waitFor();
});
