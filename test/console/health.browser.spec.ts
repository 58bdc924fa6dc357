import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { order } from '../journeys/journey-world.js';
import { setAside } from '../journeys/set-aside.js';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import type { ObservedPage } from './observed-page.js';
import { expectSound, screenshot } from './sound-page.js';

const HOSTILE = '<img src=x onerror="window.countersign_harmed=true">\u202egpj.exe\u001b[31m';

let counterparty: Counterparty;
let world: ConsoleWorld;
let agent: Api;
let operator: string;
beforeAll(async () => {
  counterparty = await Counterparty.start();
  world = await ConsoleWorld.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  await setAside(world.platform, [
    { cause: `TypeError: ${HOSTILE}`, consumer: 'policy', topic: 'tool-executed', offset: 7 },
    { cause: 'the channel is unknown', consumer: 'gateway-notices', topic: 'policy-decided', offset: 0 },
  ]);
  agent = await world.admin.keyFor('agent', 'buyer', ['agent']);
  operator = (await world.admin.keyFor('user', 'olga', ['operator'])).key;
  const failing = () => agent.call({ tool: 'probe_fail', inputs: order({ effect: 'none', code: 'PROVIDER_ERROR' }) });
  await Promise.all(Array.from({ length: 12 }, failing));
  expect((await doubtful()).body.status).toBe('in_doubt');
  expect((await agent.request('GET', '/v1/dead-letters')).status).toBe(403);
});
afterAll(async () => {
  await world?.close();
  await counterparty?.stop();
});

/** Opens the dialog of a dead letter. */
const look = async ({ page }: ObservedPage, record: RegExp) => {
  await page.goto('/health');
  await page.getByRole('row', { name: record }).getByRole('button', { name: 'Look' }).click();
  return page.getByRole('dialog', { name: 'Dead letter' });
};
const doubtful = () => agent.call({ tool: 'probe_http_blind', inputs: order({ lose_answer: true }) });

test.each(LOOKS)('health shows what needs an operator, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: operator });
  const { page } = observed;
  await page.goto('/health');
  await page.getByText('The gateway takes requests.').waitFor();
  await page.getByRole('table', { name: 'Calls in doubt' }).getByText('probe_http_blind').first().waitFor();
  await page.getByRole('table', { name: 'Circuits' }).getByText('probe_fail 1.0.0').waitFor();
  await page.getByRole('table', { name: 'Dead letters' }).getByText('tool-executed/0/7').waitFor();
  await page.getByText(/^All \d+ are live$/).click();
  await page.getByRole('table', { name: 'Projections' }).getByText('approval-inbox').waitFor();
  await page.getByRole('table', { name: 'Security events' }).getByText('role refused').first().waitFor();
  await page.getByRole('heading', { name: 'The record agrees with its signature' }).waitFor();
  await page.getByText(/^The views (contain|are)/).waitFor();
  await expectSound(observed);
  await screenshot(observed, `health-${viewport}-${theme}`, { whole: true });
});

test('a dead letter is looked at; what caused it is shown as text', async () => {
  const observed = await world.page({ key: operator });
  const { page } = observed;
  await page.goto('/health');
  await page
    .getByRole('row', { name: /tool-executed.0.7/ })
    .getByRole('button', { name: 'Look' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Dead letter' });
  await dialog.getByText('<img src=x', { exact: false }).waitFor();
  await dialog.getByText('RLO').waitFor();
  await dialog
    .getByText('the record could not be decoded')
    .or(dialog.getByText('e', { exact: true }))
    .waitFor();
  await dialog.getByText('It cannot be requeued.').waitFor();
  await dialog.getByText('Send the call again as a new call', { exact: false }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Requeue' }).count()).toBe(0);
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
  await expectSound(observed);
  await screenshot(observed, 'health-dead-letter');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a dead letter is requeued once, with a reason that is kept until it is sent; others see who did it and why', async () => {
  const observed = await world.page({ key: operator, viewport: 'phone', expected: /requeue/ });
  await look(observed, /policy-decided.0.0/);
  const { page } = observed;
  await page.getByRole('dialog', { name: 'Dead letter' }).getByRole('button', { name: 'Requeue' }).click();
  const dialog = page.getByRole('dialog', { name: 'Requeue the record?' });
  expect(await dialog.getByRole('button', { name: 'Requeue' }).isDisabled()).toBe(true);
  await dialog.getByLabel('What did you correct?').fill('the channel is configured again');
  await expectSound(observed);
  await screenshot(observed, 'health-requeue');
  await page.route('**/requeue', (route) => route.abort());
  await dialog.getByRole('button', { name: 'Requeue' }).click();
  await dialog.getByText('No connection').waitFor();
  await page.unroute('**/requeue');
  expect(await dialog.getByLabel('What did you correct?').inputValue()).toBe('the channel is configured again');
  await dialog.getByRole('button', { name: 'Requeue' }).click();
  await page.getByText('Handed to its consumer again').waitFor();
  await page
    .getByRole('row', { name: /policy-decided.0.0/ })
    .getByText('Requeued')
    .waitFor();

  const later = await world.page({ key: operator });
  const shown = await look(later, /policy-decided.0.0/);
  await shown.getByText('the channel is configured again').waitFor();
  await shown.getByText('olga').waitFor();
  expect(await shown.getByRole('button', { name: 'Requeue' }).count()).toBe(0);
  await expectSound(later);
  await screenshot(later, 'health-requeued');
});

test('a circuit that becomes half-open by time is shown so, without a call', async () => {
  const { page } = await world.page({ key: operator });
  await page.goto('/health');
  const circuits = page.getByRole('table', { name: 'Circuits' });
  await circuits.getByText('Half-open: one call may try').waitFor({ timeout: 50_000 });
});

test('a call that comes into doubt appears by itself, and leads to its page', async () => {
  const { page } = await world.page({ key: operator });
  await page.goto('/health');
  await page.getByText('Live', { exact: true }).waitFor();
  const rows = page.getByRole('table', { name: 'Calls in doubt' }).getByRole('row');
  await rows.nth(1).waitFor();
  const before = await rows.count();
  const { body } = await doubtful();
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(before + 1);
  await page
    .getByRole('link', { name: /Calls in doubt/ })
    .getByText(String(before), { exact: true })
    .waitFor();
  await rows.nth(1).getByRole('link').click();
  expect(new URL(page.url()).pathname).toBe(`/calls/${body.call_id}`);
});

test('an approver sees what the role shows, reads no other list, and is told what it needs', async () => {
  const { key } = await world.admin.keyFor('user', 'anna', ['approver']);
  const observed = await world.page({ key, expected: /metrics/ });
  const { page } = observed;
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
  await page.goto('/health');
  await page.getByRole('table', { name: 'Circuits' }).waitFor();
  expect(await page.getByText('Your roles do not show this').count()).toBe(5);
  expect(refused).toEqual([]);
  await expectSound(observed);
  await screenshot(observed, 'health-no-roles', { whole: true });
});

test('a list that cannot be read says so, the others stay, and it comes back by itself', async () => {
  const observed = await world.page({ key: operator, expected: /dead-letters/ });
  const { page } = observed;
  await page.route('**/v1/dead-letters*', (route) => route.abort());
  await page.goto('/health');
  await page.getByRole('heading', { name: 'No connection', exact: true }).waitFor();
  await page.getByRole('table', { name: 'Circuits' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute('**/v1/dead-letters*');
  await page.getByRole('table', { name: 'Dead letters' }).waitFor();
  expect(await observed.faults()).toEqual([]);
});
