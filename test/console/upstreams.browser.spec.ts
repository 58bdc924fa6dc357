import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { expectSound, screenshot } from './sound-page.js';
import { HOSTILE_WORDS, schemaOf, UpstreamsWorld } from './upstreams-world.js';

let world: UpstreamsWorld;
beforeAll(async () => {
  world = await UpstreamsWorld.start();
  const { server } = world;
  server
    .serve('read_file', { annotations: { readOnlyHint: true, openWorldHint: false } })
    .serve('write_file', { inputSchema: schemaOf('path', 'content'), annotations: { readOnlyHint: false, destructiveHint: true } })
    .serve('poisoned', { description: HOSTILE_WORDS, annotations: { readOnlyHint: true } })
    .serve('huge', { description: 'x'.repeat(1_000_000) });
  await world.set('files');
}, 120_000);
afterAll(() => world?.close());

test.each(LOOKS)('upstreams, the tools of one, a hostile tool and the bulk form are readable on a %s in %s', async (viewport, theme) => {
  const observed = await world.console.page({ viewport, theme, key: world.people.both.key });
  const { page } = observed;
  await page.goto('/upstreams');
  await page.getByRole('link', { name: 'files' }).waitFor();
  await page.getByText('3 unclassified').waitFor();
  await expectSound(observed);
  await screenshot(observed, `upstreams-${viewport}-${theme}`);
  await page.getByRole('link', { name: 'files' }).click();
  await page.getByRole('link', { name: 'write_file' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `upstream-${viewport}-${theme}`);
  await page.getByRole('link', { name: 'poisoned' }).click();
  await page.getByText('What agents see').waitFor();
  await page.getByText('instructions to the model').waitFor();
  await expectSound(observed);
  await screenshot(observed, `upstream-tool-${viewport}-${theme}`);
  for (const [tab, shown] of [
    ['Classify', 'Review'],
    ['Changes', 'Not offered'],
    ['Settings', 'Revisions'],
  ] as const) {
    await page.goto('/upstreams/files');
    await page.getByRole('tab', { name: tab }).click();
    if (tab === 'Classify') await page.getByRole('checkbox', { name: 'read_file' }).check();
    await page.getByText(shown).first().waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    await expectSound(observed);
    await screenshot(observed, `upstream-${tab}-${viewport}-${theme}`);
  }
});

test('what a server writes is inert, its hidden characters are named, and a long text is folded; what is too large is named', async () => {
  const observed = await world.console.page({ viewport: 'phone', key: world.people.operator.key });
  const { page } = observed;
  await page.goto('/upstreams/files?tool=poisoned');
  await page.getByText('<script>window.hostile=1</script>').first().waitFor();
  for (const mark of ['RLO', 'ZWSP', 'ESC']) await page.getByText(mark, { exact: true }).first().waitFor();
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  expect(await page.locator('main img, main script').count()).toBe(0);
  const shown = await page.locator('.upstream-description').innerText();
  expect(shown.length).toBeLessThan(1_000);
  await page.getByRole('button', { name: /^Show all/ }).click();
  expect((await page.locator('.upstream-description').innerText()).length).toBeGreaterThan(10_000);
  await expectSound(observed);
  await page.goto('/upstreams/files?tab=changes');
  await page.getByText('Not offered').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'huge' }).waitFor();
  await page.goto('/upstreams/files?tool=..');
  await page.getByText('There is no such tool').waitFor();
  await expectSound(observed);
});

describe('an upstream is added, changed and removed', () => {
  test('its errors stand at their fields, its commands are those of the installation, and nothing is lost offline', async () => {
    const observed = await world.console.page({ key: world.people.author.key, expected: /\/v1\/upstreams|\/healthz|\/v1\/events/ });
    const { page } = observed;
    await page.goto('/upstreams');
    await page.getByRole('button', { name: 'Add an upstream' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an upstream' });
    await dialog.getByLabel('Name').fill('Not A Name');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Name').fill('more');
    await dialog.getByLabel('Address').fill('http://169.254.169.254/mcp');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('It is').selectOption('command');
    await dialog.getByLabel('Command').selectOption('notes');
    await dialog.getByLabel('Credentials').fill('NotesToken');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Credentials').getAttribute('aria-invalid')).toBe('true');
    await expectSound(observed);
    await screenshot(observed, 'upstream-form');
    await dialog.getByLabel('It is').selectOption('url');
    await dialog.getByLabel('Address').fill(world.server.url);
    await dialog.getByLabel('Credentials').fill('');
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('No connection').waitFor();
    expect(await dialog.getByLabel('Address').inputValue()).toBe(world.server.url);
    await page.context().setOffline(false);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'more', level: 1 }).waitFor();
    await page.getByText('Healthy').waitFor();
    await page.getByRole('link', { name: 'write_file' }).waitFor();
    await page.goto('/upstreams');
    await page.getByRole('button', { name: 'Add an upstream' }).click();
    await dialog.getByLabel('Name').fill('more');
    await dialog.getByLabel('Address').fill(world.server.url);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('An upstream with this name exists').waitFor();
  });

  test('another address is said to suspend all tools, and removing it says what follows', async () => {
    const observed = await world.console.page({ key: world.people.author.key, viewport: 'phone' });
    const { page } = observed;
    await page.goto('/upstreams/more');
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the upstream' });
    expect(await dialog.getByLabel('Address').inputValue()).toBe(world.server.url);
    await dialog.getByLabel('Address').fill(`${world.server.url}?other`);
    await dialog.getByText('All its tools are suspended').waitFor();
    await expectSound(observed);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove the upstream more?' });
    await removal.getByText('3 tools no longer run').waitFor();
    await expectSound(observed);
    await screenshot(observed, 'upstream-removal-phone');
    await removal.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The upstream is removed').waitFor();
    await page.getByRole('link', { name: 'files' }).waitFor();
    await page.goto('/upstreams/more');
    await page.getByText('There is no such upstream').waitFor();
  });
});

test('an upstream that cannot be listed says so on an open page by the event stream, and why', async () => {
  const observed = await world.console.page({ key: world.people.auditor.key });
  const { page } = observed;
  const reads: string[] = [];
  page.on('request', (request) => /\/v1\/upstreams/.test(request.url()) && reads.push(request.url()));
  await page.goto('/upstreams');
  await page.getByRole('link', { name: 'files' }).waitFor();
  const before = reads.length;
  world.server.is_down = true;
  await world.set('down', ({ health }) => health.state === 'unhealthy');
  await page.getByText('Unhealthy').waitFor();
  expect(reads.length - before).toBeLessThanOrEqual(3);
  await page.goto('/upstreams/down');
  await page.getByText('It cannot be listed').waitFor();
  await expectSound(observed);
  await screenshot(observed, 'upstream-unhealthy');
  world.server.is_down = false;
});

test('a person without a role sees why nothing can be done', async () => {
  const observed = await world.console.page({ key: world.people.approver.key });
  const { page } = observed;
  for (const path of ['/upstreams', '/upstreams/files']) {
    await page.goto(path);
    await page.getByText('You may not read this').waitFor();
    await page.getByText('This needs the role operator or tool_author or policy_admin or auditor or admin. You have: approver.').waitFor();
    await expectSound(observed);
  }
  await screenshot(observed, 'upstreams-refused');
  const reader = await world.console.page({ key: world.people.auditor.key });
  await reader.page.goto('/upstreams/files?tool=read_file');
  await reader.page.getByText('This needs the role operator or admin. You have: auditor.').waitFor();
  expect(await reader.page.getByRole('button', { name: 'Classify' }).isDisabled()).toBe(true);
  expect(await reader.page.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
  await reader.page.getByText('To change or remove it: This needs the role tool_author or admin.').waitFor();
  await reader.page.goto('/upstreams/files?tab=classify');
  await reader.page.getByRole('checkbox', { name: 'read_file' }).check();
  await expectSound(reader);
  expect(await reader.page.getByRole('button', { name: 'Review 1 chosen' }).isDisabled()).toBe(true);
});
