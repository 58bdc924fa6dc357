import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { LOOKS } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { HOSTILE_QUESTION, SagaStories } from './saga-stories.js';
import { expectSound, screenshot } from './sound-page.js';

let counterparty: Counterparty;
let world: ConsoleWorld;
let stories: SagaStories;
let operator: string;
let shown: { waiting: string; compensated: string; stuck: string; doubtful: string };
beforeAll(async () => {
  counterparty = await Counterparty.start();
  world = await ConsoleWorld.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  stories = new SagaStories(world, await world.admin.keyFor('agent', 'shopper', ['agent']));
  operator = (await world.admin.keyFor('user', 'olga', ['operator'])).key;
  shown = {
    waiting: await stories.waiting(),
    compensated: await stories.compensated(),
    stuck: await stories.stuck(),
    doubtful: await stories.inDoubt(),
  };
});
afterAll(async () => {
  await world?.close();
  await counterparty?.stop();
});

/** A definition that is not published answers 404: the graph is drawn from the record. */
const UNPUBLISHED = /saga-definitions/;
const open = async (saga_id: string, key = operator) => {
  const observed = await world.page({ key, expected: UNPUBLISHED });
  await observed.page.goto(`/sagas/${saga_id}`);
  await observed.page.getByRole('table', { name: 'Steps' }).waitFor();
  return observed;
};

test.each(LOOKS)('sagas are listed, and each shows its course and what it needs, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, key: operator, expected: UNPUBLISHED });
  const { page } = observed;
  await page.goto('/sagas');
  await page.getByRole('table', { name: 'Sagas' }).getByText('order_with_everything').waitFor();
  await expectSound(observed);
  await screenshot(observed, `sagas-${viewport}-${theme}`);
  for (const [name, saga_id] of Object.entries(shown)) {
    await page.goto(`/sagas/${saga_id}`);
    await page.getByRole('heading', { name: 'Course' }).waitFor();
    await page.getByRole('table', { name: 'Steps' }).waitFor();
    await expectSound(observed);
    await screenshot(observed, `saga-${name}-${viewport}-${theme}`, { whole: true });
  }
});

test('the question of a definition is shown as text; an approval in the dialog goes on with the saga, live', async () => {
  const saga_id = await stories.waiting();
  const observed = await open(saga_id);
  const { page } = observed;
  const card = page.getByRole('article', { name: 'Wait ask' });
  await card.getByText('<img src=x', { exact: false }).waitFor();
  await card.getByText('RLO').waitFor();
  await card.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve' });
  await dialog.getByLabel('Reason (optional)').fill('as ordered');
  await expectSound(observed);
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByText('“as ordered”').waitFor();
  expect(await page.evaluate(() => 'countersign_harmed' in window)).toBe(false);
  expect((await stories.read(saga_id)).status).toBe('completed');
});

test('a refusal undoes the saga', async () => {
  const saga_id = await stories.waiting();
  const { page } = await open(saga_id);
  await page.getByRole('button', { name: 'Refuse' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refuse' });
  await dialog.getByRole('button', { name: 'Refuse', exact: true }).click();
  await page.getByRole('article', { name: 'Wait ask' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await stories.read(saga_id)).status, { timeout: 20_000 }).toBe('compensated');
  await page.getByRole('table', { name: 'Steps' }).getByRole('link', { name: 'Undone: open the call that undoes' }).waitFor();
});

test('the result of a manual step is JSON; what is none is said beside the field, and stays', async () => {
  const saga_id = await stories.manual();
  const observed = await open(saga_id);
  const { page } = observed;
  await page.getByText('Read the meter').waitFor();
  await page.getByRole('button', { name: 'Give the result' }).click();
  const dialog = page.getByRole('dialog', { name: 'Give the result' });
  await dialog.getByLabel('Answer, as JSON').fill('{ meter: 7 }');
  await dialog.getByText(/This is no JSON/).waitFor();
  expect(await dialog.getByRole('button', { name: 'Give the result' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Give the result' }).click();
  expect(await dialog.getByLabel('Answer, as JSON').inputValue()).toBe('{ meter: 7 }');
  await dialog.getByLabel('Answer, as JSON').fill('{ "meter": 7 }');
  await expectSound(observed);
  await dialog.getByRole('button', { name: 'Give the result' }).click();
  await page.getByText('Completed', { exact: true }).waitFor();
});

test('a ticket is closed by a person who did it by hand, and says why', async () => {
  const saga_id = await stories.stuck();
  const observed = await open(saga_id);
  const { page } = observed;
  const ticket = page.getByRole('article', { name: 'Ticket: Undo failed' });
  await ticket.getByRole('button', { name: 'Done by hand' }).click();
  const dialog = page.getByRole('dialog', { name: 'Done by hand?' });
  const confirm = dialog.getByRole('button', { name: 'It was done by hand' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('put back by Olga');
  await expectSound(observed);
  await confirm.click();
  await ticket.waitFor({ state: 'detached' });
  await page.getByText('Ticket done by hand').waitFor();
  await page.getByText('Undone by hand').first().waitFor();
  expect((await stories.read(saga_id)).status).toBe('compensated');
});

test('a call in doubt is resolved from its ticket, and the saga goes on', async () => {
  const saga_id = await stories.inDoubt();
  const observed = await open(saga_id);
  const { page } = observed;
  await page.getByRole('button', { name: 'Resolve the call' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve the call' });
  await dialog.getByLabel('Reason').fill('the bank shows the payment');
  expect(await dialog.getByRole('button', { name: 'Record the outcome' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Outcome').selectOption('It took effect');
  await expectSound(observed);
  await dialog.getByRole('button', { name: 'Record the outcome' }).click();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByText('Ticket resolved by evidence').waitFor();
});

test('who was faster is said in the open dialog, and nothing is sent', async () => {
  const saga_id = await stories.waiting();
  const observed = await open(saga_id);
  const { page } = observed;
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve' });
  await dialog.getByLabel('Reason (optional)').fill('as ordered');
  const anna = await world.admin.keyFor('user', 'anna', ['approver']);
  const refused = await anna.request('POST', `/v1/sagas/${saga_id}/waits/ask`, {
    outcome: 'refused',
    reason: `too much ${HOSTILE_QUESTION}`,
  });
  expect(refused.status).toBe(200);
  await dialog.getByText('Refused by user anna: too much', { exact: false }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
  expect(await dialog.getByLabel('Reason (optional)').inputValue()).toBe('as ordered');
  await expectSound(observed);
  await screenshot(observed, 'saga-overtaken');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('article', { name: 'Wait ask' }).waitFor({ state: 'detached' });
});

test('the person who started a saga may not approve it, and is told who may', async () => {
  const sam = await world.admin.keyFor('user', 'sam', ['operator', 'approver']);
  const saga_id = await stories.waiting(sam);
  const observed = await world.page({ key: sam.key, expected: /waits\/ask/ });
  const { page } = observed;
  await page.goto(`/sagas/${saga_id}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve' });
  await dialog.getByRole('button', { name: 'Approve', exact: true }).dblclick();
  await dialog.getByText('Ask another approver to answer it.').waitFor();
  await expectSound(observed);
});

test('a saga is paused, resumed, and cancelled after a confirmation; another tab sees it', async () => {
  const saga_id = await stories.waiting();
  const { page } = await open(saga_id);
  const other = await open(saga_id);
  await page.getByRole('button', { name: 'Pause' }).click();
  await other.page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await other.page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Cancel the saga' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel the saga?' });
  await dialog.getByRole('button', { name: 'Back' }).click();
  expect((await stories.read(saga_id)).status).toBe('awaiting_approval');
  await page.getByRole('button', { name: 'Cancel the saga' }).click();
  await dialog.getByRole('button', { name: 'Cancel the saga' }).click();
  await other.page.getByRole('button', { name: 'Cancel the saga' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await stories.read(saga_id)).status, { timeout: 20_000 }).toBe('compensated');
});

test('arrow keys move through the graph, Enter filters the table, and the address keeps it', async () => {
  const observed = await open(shown.waiting);
  const { page } = observed;
  await page.getByRole('button', { name: /^take/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('stock');
  await page.keyboard.press('End');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('ship');
  await page.keyboard.press('Home');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('take');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Steps named take' }).waitFor();
  expect(new URL(page.url()).search).toBe('?step=take');
  await page.reload();
  await page.getByRole('heading', { name: 'Steps named take' }).waitFor();
  expect(await page.getByRole('table', { name: 'Steps' }).getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: /^pack/ }).click();
  await expect.poll(() => page.getByRole('table', { name: 'Steps' }).getByRole('row').count()).toBe(4);
  await page.getByRole('button', { name: 'Show all steps' }).click();
  expect(new URL(page.url()).search).toBe('');
  expect(await observed.faults()).toEqual([]);
});

test('filters and tabs live in the address; tickets lead to their saga', async () => {
  const observed = await world.page({ key: operator, expected: UNPUBLISHED });
  const { page } = observed;
  await page.goto('/sagas?definition=parcel');
  const rows = page.getByRole('table', { name: 'Sagas' }).getByRole('row');
  await expect.poll(async () => (await rows.allTextContents()).slice(1).every((text) => text.startsWith('parcel'))).toBe(true);
  await page.getByLabel('Status').selectOption('Completed');
  await page.getByRole('heading', { name: 'No saga is like this' }).waitFor();
  expect(new URL(page.url()).search).toBe('?definition=parcel&status=completed');
  await page.getByRole('tab', { name: 'Tickets' }).click();
  await page.getByRole('table', { name: 'Tickets' }).getByRole('link').filter({ hasText: 'not undone' }).first().click();
  await page.getByRole('article', { name: 'Ticket: Undo failed' }).waitFor();
  expect(await observed.faults()).toEqual([]);
});

test('an auditor sees a saga and its ticket, and no button that the gateway would refuse', async () => {
  const { key } = await world.admin.keyFor('user', 'audrey', ['auditor']);
  const observed = await open(shown.stuck, key);
  const { page } = observed;
  await page.getByText('An operator decides.').waitFor();
  for (const name of ['Retry', 'Done by hand', 'Pause', 'Cancel the saga'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await expectSound(observed);
});

test('a saga that does not exist says so', async () => {
  const observed = await world.page({ key: operator, expected: /v1\/sagas/ });
  const { page } = observed;
  await page.goto('/sagas/no-such%2F..%2Fsaga');
  await page.getByText('It may belong to another tenant, or the link is not complete.').waitFor();
  await expectSound(observed);
});
