import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { order } from '../journeys/journey-world.js';
import { LOOKS } from './browser.js';
import type { ObservedPage } from './observed-page.js';
import { RecordsWorld } from './records-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: RecordsWorld;
beforeAll(async () => {
  world = await RecordsWorld.start();
}, 90_000);
afterAll(() => world.close());

const open = async (address: string, more: Parameters<RecordsWorld['console']['page']>[0] = {}): Promise<ObservedPage> => {
  const observed = await world.console.page({ key: world.you.key, ...more });
  await observed.page.goto(address);
  return observed;
};
/** The file that a click downloads. */
const downloaded = async ({ page }: ObservedPage, button: string): Promise<{ name: string; text: string }> => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  return { name: file.suggestedFilename(), text: readFileSync((await file.path()) as string, 'utf8') };
};

test('a call that waits is shown as decided as soon as a person decides, and then can be undone no more than it was done', async () => {
  const waiting = await world.waiting();
  const observed = await open(`/calls/${waiting.call_id}`);
  const { page } = observed;
  await page.getByText('Nothing has happened yet').waitFor();
  await page.getByRole('link', { name: 'Open the approval' }).waitFor();
  await world.vote(waiting, 'approve');
  await page.getByText('The tool ran, and its result is on the record.').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('the effect of probe_approval cannot be undone').waitFor();
  expect(await page.getByRole('button', { name: 'Undo 0 effects' }).isDisabled()).toBe(true);
  await expectSound(observed);
});

test('a person cancels a waiting call, and reads before that nothing has happened', async () => {
  const waiting = await world.waiting();
  const observed = await open(`/calls/${waiting.call_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Cancel call' }).click();
  await page.getByText('its approval request closes for everyone').waitFor();
  await page.getByLabel('Reason').fill('ordered elsewhere');
  await expectSound(observed);
  await page.getByRole('button', { name: 'Cancel the call' }).click();
  await page.getByText('It was cancelled before it took effect.').waitFor();
  const { body } = await world.you.readCall(waiting.call_id);
  expect(body).toMatchObject({ status: 'cancelled', error: { message: expect.stringContaining('ordered elsewhere') } });
});

test('a call that ended meanwhile is not cancelled, and the dialog says so', async () => {
  const waiting = await world.waiting();
  const observed = await open(`/calls/${waiting.call_id}`, { expected: /\/cancel$/ });
  const { page } = observed;
  await page.getByRole('button', { name: 'Cancel call' }).click();
  await page.getByText('its approval request closes for everyone').waitFor();
  await world.vote(waiting, 'deny');
  await page.getByText('It can no longer be cancelled').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Cancel the call' }).isDisabled()).toBe(true);
});

test.each(LOOKS)('a call in doubt is resolved with what the system of record says, on a %s in %s', async (viewport, theme) => {
  const doubtful = await world.doubtful();
  const observed = await open(`/calls/${doubtful.call_id}`, { viewport, theme });
  const { page } = observed;
  await page.getByText('The effect may have happened, or not').waitFor();
  await expectSound(observed);
  await screenshot(observed, `call-in-doubt-${viewport}-${theme}`);
  await page.getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(doubtful.idempotency_key).waitFor();
  await dialog.getByText('The tool has no check of its own').waitFor();
  expect(await dialog.getByRole('button', { name: 'Resolve' }).isDisabled()).toBe(true);
  await dialog.getByText('It happened').click();
  await dialog.getByLabel('Output').fill('{"ok": tru');
  await dialog.getByLabel('Reason').fill('number 17 in the ledger');
  await dialog.getByText('This is not JSON').waitFor();
  expect(await dialog.getByRole('button', { name: 'Resolve' }).isDisabled()).toBe(true);
  await expectSound(observed);
  await screenshot(observed, `resolve-${viewport}-${theme}`);
  await dialog.getByLabel('Output').fill(`{"ok":true,"seq":17,"key":"${doubtful.idempotency_key}","amount":7}`);
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('The tool ran, and its result is on the record.').waitFor();
  expect((await world.you.readCall(doubtful.call_id)).body).toMatchObject({ status: 'succeeded', output: { seq: 17 } });
});

test('what a person wrote about a doubt survives a reload', async () => {
  const doubtful = await world.doubtful();
  const observed = await open(`/calls/${doubtful.call_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByLabel('Reason').fill('half a sentence');
  await page.reload();
  await page.getByRole('button', { name: 'Resolve' }).click();
  expect(await page.getByLabel('Reason').inputValue()).toBe('half a sentence');
});

test('an undo is done as its preview shows it', async () => {
  const { workspace } = world.console.platform;
  writeFileSync(path.join(workspace, 'undo-me.txt'), 'x');
  const moved = await world.call('move_file', { source: 'undo-me.txt', destination: 'moved.txt' });
  const observed = await open(`/calls/${moved.call_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Undo one effect' }).waitFor();
  await expectSound(observed);
  await page.getByRole('button', { name: 'Undo one effect' }).click();
  await page.getByText('1 of 1 undone.').waitFor();
  expect(readFileSync(path.join(workspace, 'undo-me.txt'), 'utf8')).toBe('x');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Its effect was undone.').waitFor();
});

test('a preview that is out of date undoes nothing, and the new one is shown', async () => {
  const { workspace } = world.console.platform;
  writeFileSync(path.join(workspace, 'once.txt'), 'x');
  const moved = await world.call('move_file', { source: 'once.txt', destination: 'twice.txt' });
  const observed = await open(`/calls/${moved.call_id}`, { expected: /\/undo$/ });
  const { page } = observed;
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Undo one effect' }).waitFor();
  // as if its connection were cut: this page learns nothing of what follows until it sends
  let is_cut = true;
  await page.route('**/undo', (route) => (is_cut && route.request().method() === 'GET' ? route.abort() : route.continue()));
  await world.call('move_file', { source: 'twice.txt', destination: 'elsewhere.txt' });
  page.on('request', (request) => {
    if (request.method() === 'POST') is_cut = false;
  });
  await expect.poll(() => page.getByRole('button', { name: 'Undo one effect' }).getAttribute('aria-busy'), { timeout: 20_000 }).toBeNull();
  await page.getByRole('button', { name: 'Undo one effect' }).click();
  await page
    .getByText(/nothing was undone|stand in the way/)
    .first()
    .waitFor();
  await page.getByText('stand in the way').waitFor();
  expect(readFileSync(path.join(workspace, 'elsewhere.txt'), 'utf8')).toBe('x');
});

test('a running call shows its progress and is cancelled', async () => {
  const running = await world.call('probe_report', { name: 'slow report', rows: 3, steps: 20, step_ms: 900 }, {}, 0);
  const observed = await open(`/calls/${running.call_id}`);
  const { page } = observed;
  await page.getByText(/step \d+ of 20/).waitFor();
  await page.getByRole('button', { name: 'Cancel call' }).click();
  await page.getByText('what it has already done is not undone').waitFor();
  await page.getByLabel('Only if it has not taken effect yet').waitFor();
  await expectSound(observed);
  await page.getByRole('button', { name: 'Cancel the call' }).click();
  await page.getByText('It was cancelled before it took effect.').waitFor();
});

test('a wanted repeat is a call of its own, in the name of the person', async () => {
  const first = await world.call('probe_effect', { key: `k-${process.pid}` }).catch(() => world.call('probe_http_effect', order()));
  const observed = await open(`/calls/${first.call_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('what the first call did is not replaced').waitFor();
  await expectSound(observed);
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/calls/') && !url.pathname.endsWith(first.call_id));
  const again = await world.you.readCall(decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) as string));
  expect(again.body).toMatchObject({ status: 'succeeded', deduplicated: false, name: first.name });
});

test('evidence and the replay bundle are downloaded byte for byte', async () => {
  const call = await world.call('probe_http_effect', order(), { context: { run_id: 'run/../1' } });
  await world.provable(`call_id=${call.call_id}`);
  const observed = await open(`/calls/${call.call_id}`);
  await observed.page.getByRole('button', { name: 'Evidence' }).waitFor();
  const evidence = await downloaded(observed, 'Evidence');
  expect(evidence.name).toBe(`evidence-${call.call_id}.json`);
  expect(JSON.parse(evidence.text)).toMatchObject({ format: 'countersign-bundle/v1', subject: { call_id: call.call_id } });
  const replay = await downloaded(observed, 'Replay bundle');
  expect(replay.name).toBe('replay-run_.._1.json');
  expect(JSON.parse(replay.text).calls).toHaveLength(1);
});
