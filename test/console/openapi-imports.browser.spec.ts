import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PaymentsApi } from '../openapi/payments-api.js';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { expectSound, screenshot } from './sound-page.js';

const payments = new PaymentsApi();
let world: ConsoleWorld;
let key: string;
beforeAll(async () => {
  await payments.start();
  const { host } = new URL(payments.base);
  world = await ConsoleWorld.start({
    COUNTERSIGN_PACKS: 'workspace',
    COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: host,
    COUNTERSIGN_UPSTREAM_PRIVATE: host,
  });
  key = (await world.admin.keyFor('user', 'tess', ['tool_author'])).key;
}, 120_000);
afterAll(async () => {
  await world?.close();
  payments.close();
});

const HOSTILE = '<script>window.hostile=1</script>\u202egnp.exe';

/** A document of the person's computer. */
async function choose(page: Page, text: string, name = 'openapi.yaml', shown = name): Promise<void> {
  await page.getByLabel('OpenAPI document').setInputFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(text) });
  await page.getByRole('status').getByText(shown).waitFor();
}

const document = (more: object, operations: Record<string, object> = {}) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: HOSTILE, version: '2.0.0' },
    servers: [{ url: payments.base }],
    paths: Object.fromEntries(
      Object.entries({ '/ping': { get: { operationId: 'ping' } }, ...operations }).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, one]) => [method, { responses: { 200: { description: 'ok' } }, ...one }])),
      ]),
    ),
    ...more,
  });
const query = (...names: string[]) => names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
const imported = async (name: string) => (await world.admin.request('GET', `/v1/openapi-imports/${name}`)).status;

test.each(LOOKS)('a document is planned, imported, and what changed is shown, on a %s in %s', async (viewport, theme) => {
  const name = `pay${viewport.slice(0, 2)}${theme.slice(0, 2)}`;
  const observed = await world.page({ viewport, theme, key });
  const { page } = observed;
  await page.goto('/openapi-imports');
  await page.getByRole('button', { name: 'Import a document' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await choose(page, payments.document());
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('5 new').waitFor();
  await page.getByText(`${name}__create_payment`).waitFor();
  await page.getByText('Secrets: 1 of 1 to be set').waitFor();
  await expectSound(observed);
  await screenshot(observed, `import-plan-${viewport}-${theme}`, { whole: true });
  expect(await imported(name)).toBe(404);
  await page.getByRole('button', { name: 'Import 5 tools' }).click();
  await page.getByText(`${name} is imported`).waitFor();
  await expectSound(observed);
  await page.getByRole('link', { name: 'Open the import' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('GET /payments').first().waitFor();
  await expectSound(observed);
  await screenshot(observed, `import-${viewport}-${theme}`);
  await page.getByRole('link', { name: 'All imports' }).click();
  await page.getByRole('link', { name }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `imports-${viewport}-${theme}`);
});

test('a document that was imported again says what is changed, unchanged, gone and not imported, with the reason; its words are inert', async () => {
  const before = document(
    {},
    { '/old': { get: { operationId: 'old' } }, '/kept': { post: { operationId: 'kept', parameters: query('q') } } },
  );
  expect((await world.admin.request('POST', '/v1/openapi-imports', { name: 'again', document: before })).status).toBe(201);
  const observed = await world.page({ key });
  const { page } = observed;
  await page.goto('/openapi-imports/again');
  await page.getByRole('button', { name: 'Import it again' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('again');
  const multipart = { requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } } };
  const after = document(
    {},
    {
      '/kept': { post: { operationId: 'kept', parameters: query('q', 'r') } },
      '/sent': { post: { operationId: 'sent', parameters: query('q'), ...multipart } },
      '/more': { get: { operationId: 'more' } },
    },
  );
  await choose(page, after, 'again\u202ejson.exe', 'json.exe');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('2. What it would do').waitFor();
  await page.getByText('1 new, 1 changed, 1 unchanged, 1 not imported, 1 no longer in it').waitFor();
  await page
    .getByText(/multipart/)
    .first()
    .waitFor();
  await page.getByText('again__old 1.0.0').waitFor();
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  await page.getByText('RLO', { exact: true }).first().waitFor();
  await expectSound(observed);
  await screenshot(observed, 'import-again', { whole: true });
  await page.getByText('Server, credentials, which operations').click();
  await page.getByLabel('Only these operations').fill('ping');
  await page.getByText('2. What it would do').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByRole('button', { name: 'Import 1 tool' }).click();
  await page.getByText('again is imported').waitFor();
  await page.getByRole('link', { name: 'again__ping' }).waitFor();
});

test('a large document is sent compressed; an address is fetched by the gateway', async () => {
  const observed = await world.page({ key });
  const { page } = observed;
  await page.goto('/openapi-imports?import=new');
  await page.getByLabel('Name', { exact: true }).fill('large');
  await choose(page, document({ 'x-long': 'long '.repeat(400_000) }), 'large.json');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('1 new').waitFor();
  await page.getByLabel('The document is').selectOption('url');
  await page.getByLabel('Address', { exact: true }).fill(`${payments.base}/openapi.yaml`);
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('5 new').waitFor();
  await expectSound(observed);
});

test('refusals stand at their fields or name their reason, and nothing is lost offline', async () => {
  const observed = await world.page({ key, viewport: 'phone', expected: /openapi-imports|healthz|\/v1\/events/ });
  const { page } = observed;
  const show = () => page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.goto('/openapi-imports?import=new');
  await page.getByLabel('Name', { exact: true }).fill('Not A Name');
  await show();
  await expect.poll(() => page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Choose a file.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('fine');
  await choose(page, '{"swagger": "2.0"}', 'old.json');
  await page.getByText('Choose a file.').waitFor({ state: 'detached' });
  await show();
  await page.getByRole('alert').filter({ hasText: /3\.0/ }).waitFor();
  await choose(
    page,
    document({}, { '/a': { get: { operationId: 'a', parameters: [{ $ref: 'https://elsewhere.example/a.json' }] } } }),
    'a.json',
  );
  await show();
  await page
    .getByText(/elsewhere\.example/)
    .first()
    .waitFor();
  await expectSound(observed);
  await screenshot(observed, 'import-refused-phone', { whole: true });
  await page.getByLabel('The document is').selectOption('url');
  await page.getByLabel('Address', { exact: true }).fill('http://169.254.169.254/openapi.json');
  await show();
  await page
    .getByText(/The address is refused/i)
    .first()
    .waitFor();
  await world.admin.request('PUT', '/v1/upstreams/mcp', { url: `${payments.base}/mcp` });
  await page.getByLabel('Address', { exact: true }).fill(`${payments.base}/openapi.yaml`);
  await page.getByLabel('Name', { exact: true }).fill('mcp');
  await show();
  await page.getByText('tool_name_taken').waitFor();
  await page.getByText('Choose another name for the import.').waitFor();
  await expectSound(observed);
  await page.context().setOffline(true);
  await show();
  await page.getByText('No connection', { exact: true }).waitFor();
  expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe(`${payments.base}/openapi.yaml`);
  await page.context().setOffline(false);
  await page.getByLabel('Name', { exact: true }).fill('fine');
  await show();
  await page.getByText('5 new').waitFor();
});

test('a person without the role sees what was imported, and why nothing can be imported', async () => {
  const reader = (await world.admin.keyFor('user', 'pia', ['approver'])).key;
  const observed = await world.page({ key: reader });
  const { page } = observed;
  const why = 'This needs the role tool_author or admin. You have: approver.';
  for (const path of ['/openapi-imports', '/openapi-imports/again', '/openapi-imports?import=new']) {
    await page.goto(path);
    await page.getByText(why).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    await expectSound(observed);
  }
  expect(await page.getByRole('button', { name: 'Show what it would do' }).isDisabled()).toBe(true);
});
