import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { hostileTool } from './hostile-tool.js';
import { adminKey, keyOf } from './people.js';
import { expectSound, screenshot } from './sound-page.js';

let world: ConsoleWorld;
let admin: string;
beforeAll(async () => {
  world = await ConsoleWorld.start({ COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: '127.0.0.1:9' });
  admin = adminKey(world);
  for (const version of ['1.0.0', '2.0.0']) {
    const { status, body } = await world.admin.request('POST', '/v1/tools', hostileTool(version));
    expect([status, body]).toEqual([201, expect.anything()]);
  }
}, 120_000);
afterAll(() => world.close());

test.each(LOOKS)('the selector narrows tools by search and filters that live in the address, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: admin });
  const { page } = observed;
  await page.goto('/tools');
  await page.getByRole('link', { name: 'write_file' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `tools-${viewport}-${theme}`);
  await page.getByLabel('Search tools').fill('git');
  await page.getByRole('link', { name: 'write_file' }).waitFor({ state: 'detached' });
  await page.getByLabel('Effect').selectOption('read_internal');
  await page.getByRole('link', { name: 'git_commit' }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?q=git&effect=read_internal');
  await page.reload();
  await page.getByRole('link', { name: 'git_log' }).click();
  await page.getByRole('heading', { name: 'git_log', level: 1 }).waitFor();
  expect(new URL(page.url()).search).toBe('?q=git&effect=read_internal');
  await page.getByRole('tabpanel').getByText('Inputs').waitFor();
  await expectSound(observed);
  await screenshot(observed, `tool-${viewport}-${theme}`);
});

const callsOfWriteFile = async () => (await world.admin.request<{ items: unknown[] }>('GET', '/v1/calls?tool=write_file')).body.items;

test.each(LOOKS)('a call is decided by policy before it is made, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: admin, expected: /\/v1\/policies\/tools\/write_file\/resolve$/ });
  const { page } = observed;
  const before = (await callsOfWriteFile()).length;
  const path = `tried/${viewport}-${theme}.txt`;
  await page.goto('/tools/write_file?tab=try');
  await page.getByRole('button', { name: 'See what policy decides' }).click();
  await page.getByText('This is required.').first().waitFor();
  await page.getByLabel('content').fill('hello');
  await page.getByLabel('path').fill(path);
  await page.getByRole('button', { name: 'See what policy decides' }).click();
  await page.getByText('It would run').waitFor();
  await expectSound(observed);
  await screenshot(observed, `try-${viewport}-${theme}`);
  expect((await callsOfWriteFile()).length).toBe(before);
  await page.getByRole('button', { name: 'Call for real' }).click();
  await page.getByRole('dialog').getByText('This is not a test.').waitFor();
  await expectSound(observed);
  await page.getByRole('button', { name: 'Call it' }).click();
  await page.getByRole('link', { name: 'Open the call' }).waitFor();
  await page.getByText('bytes_written').waitFor();
  await screenshot(observed, `tried-${viewport}-${theme}`);
});

test('what the gateway refuses stands at its field', async () => {
  const observed = await world.page({ key: admin, expected: /\/resolve$/ });
  const { page } = observed;
  await page.goto('/tools/validate_invoice?tab=try');
  await page.getByRole('button', { name: 'Write as JSON' }).click();
  await page.getByRole('textbox', { name: 'Inputs' }).fill('{"nothing": 1}');
  await page.getByRole('button', { name: 'See what policy decides' }).click();
  await page.locator('.field-error').first().waitFor();
  await page.getByRole('textbox', { name: 'Inputs' }).fill('{"nothing": ');
  await page.getByRole('button', { name: 'See what policy decides' }).click();
  await page.getByText('This is not JSON').waitFor();
  await expectSound(observed);
});

test('a version is deprecated with a successor, blocked with a reason, and promoted again', async () => {
  const observed = await world.page({ key: admin });
  const { page } = observed;
  await page.goto('/tools/file_diff?tab=lifecycle');
  await page.getByRole('button', { name: 'Deprecate' }).click();
  await page.getByLabel('End date').fill('2099-01-01');
  await page.getByLabel('Successor').fill('git_diff@1.0.0');
  await page.getByRole('dialog').getByRole('button', { name: 'Deprecate' }).click();
  await page.getByText('This version is deprecated.').waitFor();
  await page.getByRole('link', { name: 'git_diff@1.0.0' }).first().waitFor();
  await expectSound(observed);
  await screenshot(observed, 'tool-deprecated');
  await page.getByRole('button', { name: 'Block' }).click();
  await page.getByLabel('Reason').fill('it reads too much');
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await page.getByText('This version is blocked').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
  await page.getByText('This version is blocked').waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Trust' }).click();
  await page.getByText('Circuit', { exact: true }).waitFor();
  await expectSound(observed);
});

test('somebody without the roles sees why a button is disabled', async () => {
  const key = await keyOf(world, { kind: 'user', id: 'lena', roles: ['approver'] });
  const observed = await world.page({ key });
  const { page } = observed;
  await page.goto('/tools/write_file?tab=lifecycle');
  await page.getByText('This needs the role tool_author or policy_admin.').waitFor();
  expect(await page.getByRole('button', { name: 'Block' }).isDisabled()).toBe(true);
  await page.goto('/tools/write_file?tab=policy');
  await page.getByText('This needs the role policy_admin.').waitFor();
  await expectSound(observed);
});

test('a tool that does not exist is said to', async () => {
  const observed = await world.page({ key: admin, expected: /\/v1\/tools\/none$/ });
  await observed.page.goto('/tools/none');
  await observed.page.getByText('There is no such tool').waitFor();
  await expectSound(observed);
});

test.each(LOOKS)('what a hostile author wrote stays inert and fast on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: admin });
  const { page } = observed;
  await page.goto('/tools');
  await page.getByRole('link', { name: 'hostile_tool' }).click();
  await page
    .getByRole('button', { name: /Show more fields/ })
    .first()
    .waitFor();
  expect(await page.locator('main script, main img, main iframe').count()).toBe(0);
  await page.locator('.screen .inert-mark', { hasText: 'RLO' }).first().waitFor();
  await expectSound(observed);
  await screenshot(observed, `hostile-${viewport}-${theme}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('may break callers').waitFor();
  await expectSound(observed);
  await screenshot(observed, `hostile-versions-${viewport}-${theme}`);
  await page.getByRole('tab', { name: 'Try a call' }).click();
  await page.getByRole('button', { name: 'See what policy decides' }).waitFor();
  await page.getByRole('button', { name: 'Add a_tree' }).click();
  await page.getByRole('button', { name: 'Add next' }).waitFor();
  await expectSound(observed);
  await screenshot(observed, `hostile-try-${viewport}-${theme}`);
  expect(await page.evaluate(() => (window as { pwned?: unknown }).pwned)).toBeUndefined();
});
