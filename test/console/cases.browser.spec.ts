import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../journeys/api.js';
import { order } from '../journeys/journey-world.js';
import { LOOKS } from './browser.js';
import { longestTask } from './longest-task.js';
import type { ObservedPage } from './observed-page.js';
import { HOSTILE, RecordsWorld } from './records-world.js';
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

describe('given a case with calls that ran, waited and were denied', () => {
  let case_id: string;
  let approved: Envelope;
  beforeAll(async () => {
    case_id = await world.openCase('Close out supplier Nordwind');
    await world.call('probe_http_effect', order({ note: 'last invoice' }), { case_id });
    approved = await world.waiting({ case_id });
    await world.call('probe_read', {}, { case_id, context: { depends_on: [approved.call_id] } }, 0);
    await world.vote(approved, 'approve');
    await world.vote(await world.waiting({ case_id }), 'deny');
  }, 60_000);

  test.each(LOOKS)('its timeline shows who did what and why, on a %s in %s', async (viewport, theme) => {
    const observed = await open(`/cases/${case_id}`, { viewport, theme });
    const { page } = observed;
    await page.getByText('note “last invoice”').first().waitFor();
    await page.getByText('Approved', { exact: false }).first().waitFor();
    await page.getByText('looked at').first().waitFor();
    await expectSound(observed);
    await screenshot(observed, `case-${viewport}-${theme}`);
  });

  test.each(LOOKS)('its waterfall has a bar and numbers for each call, on a %s in %s', async (viewport, theme) => {
    const observed = await open(`/cases/${case_id}?tab=calls`, { viewport, theme });
    const { page } = observed;
    await page.locator('.waterfall-row').nth(3).waitFor();
    expect(await page.locator('.bar-waiting').count()).toBeGreaterThanOrEqual(2);
    await page.getByRole('button', { name: 'Show less time, larger' }).click();
    await expectSound(observed);
    await screenshot(observed, `waterfall-${viewport}-${theme}`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Waiting for a person' }).waitFor();
    await expectSound(observed);
  });

  test('the lines are filtered in the address', async () => {
    const observed = await open(`/cases/${case_id}`);
    const { page } = observed;
    await page.getByRole('button', { name: 'Approvals' }).click();
    await page.waitForURL(/lines=approvals/);
    await expect.poll(() => page.locator('.timeline-group').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('.timeline-group').count()).toBe(2);
  });

  test.each(LOOKS)('a question what if is answered side by side and can be shared, on a %s in %s', async (viewport, theme) => {
    const observed = await open(`/cases/${case_id}?tab=what-if`, { viewport, theme });
    const { page } = observed;
    await page.getByRole('button', { name: 'Check without a change' }).click();
    await page.getByText(/All \d+ calls would have gone the same way/).waitFor();
    await page.getByLabel('Approval of').selectOption(approved.approval?.approval_id as string);
    await page.getByLabel('Votes').selectOption('deny');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText(/2 of \d+ calls would have gone another way/).waitFor();
    await page.getByText('As it would have been').first().waitFor();
    await page.getByText('would be denied').first().waitFor();
    await expectSound(observed);
    await screenshot(observed, `what-if-${viewport}-${theme}`);
    await page.reload();
    await page.getByText(/2 of \d+ calls would have gone another way/).waitFor();
  });

  test('evidence is downloaded', async () => {
    await world.provable(`case_id=${case_id}`);
    const { page } = await open(`/cases/${case_id}`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Evidence' }).click()]);
    expect(JSON.parse(readFileSync((await file.path()) as string, 'utf8'))).toMatchObject({ subject: { case_id } });
  });
});

test('a call that is made while a person looks appears by itself', async () => {
  const case_id = await world.openCase('live');
  const observed = await open(`/cases/${case_id}`);
  const { page } = observed;
  await page.getByText('Case opened').waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
  await world.call('probe_http_effect', order({ note: 'made just now' }), { case_id });
  await page.getByText('made just now').first().waitFor();
  await expectSound(observed);
});

test('a case is closed and opened again', async () => {
  const case_id = await world.openCase('to close');
  const observed = await open(`/cases/${case_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('The case is closed.').waitFor();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('The case is open again.').waitFor();
  await expectSound(observed);
});

test('the undo of a case is a saga, shown before and after', async () => {
  const case_id = await world.openCase('to undo');
  const { workspace } = world.console.platform;
  writeFileSync(path.join(workspace, 'a.txt'), 'a');
  await world.call('move_file', { source: 'a.txt', destination: 'b.txt' }, { case_id });
  await world.call('write_file', { path: 'stays.txt', content: 's' }, { case_id });
  const observed = await open(`/cases/${case_id}`);
  const { page } = observed;
  await page.getByRole('button', { name: 'Undo case' }).click();
  await page.getByText('Will be undone, newest first (1)').waitFor();
  await page.getByText('Stays as it is (1)').waitFor();
  await expectSound(observed);
  await page.getByRole('button', { name: 'Undo one effect' }).click();
  await page.getByText('1 of 1 undone.').or(page.getByText('The rest goes on by itself')).waitFor();
  await expect.poll(() => readFileSync(path.join(workspace, 'a.txt'), 'utf8'), { timeout: 20_000 }).toBe('a');
});

test('cases are found by their title, and an empty list says what to do', async () => {
  await world.openCase('Quarterly VAT return');
  const observed = await open('/cases?text=vat');
  const { page } = observed;
  await page.getByText('Quarterly VAT return').first().waitFor();
  expect(await page.locator('.table-item').count()).toBe(1);
  await page.getByRole('button', { name: 'Closed' }).click();
  await page.getByText('No case matches these filters').waitFor();
  await expectSound(observed);
});

test('a hostile title and hostile calls stay text', async () => {
  const case_id = await world.openCase(HOSTILE);
  const context = { rationale: HOSTILE, run_id: HOSTILE.slice(0, 150), purpose: HOSTILE, skill: HOSTILE.slice(0, 150) };
  await world.call('write_file', { path: 'h.txt', content: HOSTILE.repeat(100) }, { case_id, context });
  for (const address of [`/cases/${case_id}`, `/cases/${case_id}?tab=calls`, '/cases']) {
    const observed = await open(address, { viewport: 'phone' });
    await observed.page.getByText('<script>', { exact: false }).first().waitFor();
    expect(await observed.page.evaluate(() => (window as unknown as { hostile?: number }).hostile)).toBeUndefined();
    expect(await observed.page.locator('main script, main img').count()).toBe(0);
    await expectSound(observed);
  }
});

test('a case with 5,000 calls stays usable', { timeout: 240_000 }, async () => {
  const case_id = await world.openCase('large');
  const calls = Array.from({ length: 100 }, (_, at) => ({ tool: 'probe_slow', inputs: { duration_ms: 0 }, case_id, context: { seq: at } }));
  for (let batch = 0; batch < 50; batch++) {
    const numbered = calls.map((call, at) => ({ ...call, context: { run_id: 'large', seq: batch * 100 + at } }));
    expect((await world.agent.request('POST', '/v1/calls:batch', { calls: numbered })).status).toBe(200);
  }
  const observed = await open(`/cases/${case_id}`);
  const { page } = observed;
  await page.getByText('500+').waitFor();
  await page.locator('.timeline-group').first().waitFor();
  const longest_ms = await longestTask(page, async () => {
    await page.getByRole('tab', { name: 'Waterfall' }).click();
    for (let page_number = 1; page_number < 10; page_number++) {
      await page.getByText(`The newest ${page_number * 500} calls.`).waitFor({ timeout: 30_000 });
      await page.getByRole('button', { name: 'Load earlier calls' }).click();
    }
    await page.getByRole('link', { name: '5000', exact: true }).waitFor({ timeout: 30_000 });
    expect(await page.locator('.waterfall-row').count()).toBeLessThan(60);
    await page.locator('.waterfall-box').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect.poll(() => page.locator('.waterfall-row').count()).toBeLessThan(60);
  });
  expect(longest_ms).toBeLessThan(500);
  await expectSound(observed);
});
