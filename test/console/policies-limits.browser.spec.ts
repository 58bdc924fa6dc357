import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOKS } from './browser.js';
import { HOSTILE, PoliciesWorld } from './policies-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: PoliciesWorld;
const rate = { kind: 'rate', scope: 'agent', tools: ['list_*'], max: 10, window_ms: 3_600_000 };
beforeAll(async () => {
  world = await PoliciesWorld.start();
  for (const [limit_id, body] of [
    ['listings-per-hour', rate],
    ['almost-full', { ...rate, kind: 'max_tool_calls', max: 5, window_ms: 86_400_000 }],
    ['full', { kind: 'max_tool_calls', scope: 'tool', max: 4 }],
  ] as const) {
    const { status } = await world.anna.request('PUT', `/v1/limits/${limit_id}`, body);
    if (status !== 200) throw new Error(`PUT /v1/limits answered ${status}`);
  }
  for (let count = 0; count < 4; count++) await world.list();
}, 90_000);
afterAll(() => world.close());

test.each(LOOKS)('each limit is a sentence with a gauge of what is used, on a %s in %s', async (viewport, theme) => {
  const observed = await world.open('/policies?tab=limits', { viewport, theme });
  const { page } = observed;
  await page.getByText('At most 10 calls of list_* for each agent in 1 h').waitFor();
  const limit = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'listings-per-hour' }) });
  await limit.scrollIntoViewIfNeeded();
  const gauge = limit.getByRole('meter').first();
  await gauge.waitFor();
  expect(await gauge.getAttribute('aria-valuetext')).toBe('4 of 10, 40 %');
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'full', exact: true }) })
    .getByText(/4 of 4 · full/)
    .waitFor();
  await expectSound(observed);
  await screenshot(observed, `policies-limits-${viewport}-${theme}`, { whole: true });
});

test('a limit is added, its errors stand at their fields, it is changed and removed', async () => {
  const observed = await world.open('/policies?tab=limits', { expected: /\/v1\/limits\// });
  const { page } = observed;
  await page.getByRole('button', { name: 'Add a limit' }).click();
  const adding = page.getByRole('dialog', { name: 'Add a limit' });
  await adding.getByRole('button', { name: 'Add' }).click();
  await adding.getByText('Enter a name, such as payments-per-hour').waitFor();
  await adding.getByLabel('Name').fill('files-per-day');
  await adding.getByLabel('What it bounds').selectOption('cumulative');
  await adding.getByLabel('At most').fill('500');
  await adding.getByLabel('Amount of a call').fill('inputs.size +');
  await adding.getByRole('button', { name: 'Add' }).click();
  await adding.getByText(/^1:\d+: /).waitFor();
  await expectSound(observed);
  await screenshot(observed, 'policies-limit-form');
  await adding.getByLabel('Amount of a call').fill('inputs.size');
  await adding.getByRole('button', { name: 'Add' }).click();
  await page.getByText('The sum of inputs.size of calls is at most 500 for each agent in 1 h').waitFor();
  await page.getByRole('button', { name: 'Change the limit files-per-day' }).click();
  const changing = page.getByRole('dialog', { name: 'Change the limit' });
  await changing.getByLabel('At most').fill('700.5');
  await changing.getByLabel('A call above it').selectOption('defer');
  await changing.getByLabel('Waits at most').fill('90');
  await changing.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The sum of inputs.size of calls is at most 700.5 for each agent in 1 h').waitFor();
  await page.getByText('Above it a call waits, at most 90 min.').waitFor();
  await page.getByRole('button', { name: 'Remove the limit files-per-day' }).click();
  await page.getByRole('dialog', { name: 'Remove this limit?' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'files-per-day' }).waitFor({ state: 'detached' });
});

test('of two people who change a limit at once the slower one is told who was faster', async () => {
  await world.anna.request('PUT', '/v1/limits/contested', rate);
  const observed = await world.open('/policies?tab=limits', { expected: /\/v1\/limits\// });
  const { page } = observed;
  await page.getByRole('button', { name: 'Change the limit contested' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the limit' });
  await dialog.getByLabel('At most').fill('20');
  await world.ben.request('PUT', '/v1/limits/contested', { ...rate, max: 30 });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Somebody was faster; you changed nothing').waitFor();
  await dialog.getByText(/Ben set version 2 of this limit at/).waitFor();
  await expectSound(observed);
  expect((await world.anna.request('GET', '/v1/limits/contested')).body).toMatchObject({ max: 30, by: 'ben' });
});

test('a name that is taken, and hostile patterns, change nothing and stay text', async () => {
  await world.anna.request('PUT', '/v1/limits/hostile', { ...rate, tools: [HOSTILE] });
  const observed = await world.open('/policies?tab=limits', { expected: /\/v1\/limits\// });
  const { page } = observed;
  await page.getByText('RLO').first().waitFor();
  await page.getByRole('button', { name: 'Add a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a limit' });
  await dialog.getByLabel('Name').fill('hostile');
  await dialog.getByLabel('At most').fill('1');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('A limit of this name exists').waitFor();
  await expectSound(observed);
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
});
