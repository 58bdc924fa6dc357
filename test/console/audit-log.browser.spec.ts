import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { signCheckpoint } from '@countersign/proofs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../journeys/journey-world.js';
import { AuditWorld, STRANGER } from './audit-world.js';
import { LOOKS } from './browser.js';
import { longestTask } from './longest-task.js';
import { HOSTILE } from './records-world.js';
import { expectSound, screenshot } from './sound-page.js';

let world: AuditWorld;
let case_id: string;
let call_id: string;
beforeAll(async () => {
  world = await AuditWorld.start();
  const made = await world.provenCase();
  case_id = made.case_id;
  call_id = made.call.call_id;
  await world.cosign();
}, 120_000);
afterAll(() => world?.close());

const remembered = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem('countersign:audit-checkpoint') ?? 'null'));

/** What a browser remembers of this log. */
function seen(size: number, root: Buffer, more: object = {}) {
  const seen_at = '2026-11-20T08:00:00.000Z';
  const note = signCheckpoint({ size, root }, STRANGER);
  return { vkey: world.vkey, size, root: root.toString('base64'), note, seen_at, first: { size, seen_at }, ...more };
}

describe('checkpoints', () => {
  test.each(LOOKS)('the newest are listed, with their witnesses, on a %s in %s', async (viewport, theme) => {
    const observed = await world.page({ viewport, theme, pins: world.pins({ with_witness: true }) });
    const { page } = observed;
    await page.goto('/audit?tab=checkpoints');
    await page.getByText('Signature verified').waitFor();
    await page.getByText('First visit').waitFor();
    await page.getByText('verified, checks heads').waitFor();
    const table = page.getByRole('table', { name: 'Checkpoints' });
    for (const size of ['1', '2']) await table.getByRole('cell', { name: size, exact: true }).waitFor();
    await expectSound(observed);
    await screenshot(observed, `audit-checkpoints-${viewport}-${theme}`, { whole: true });
  });

  test('what was seen is remembered, and a log that grew continues it', async () => {
    const { page } = await world.page({ pins: world.pins() });
    await page.goto('/audit?tab=checkpoints');
    await page.getByText('First visit').waitFor();
    const before = await remembered(page);
    await world.records.call('probe_read', {});
    await expect.poll(async () => (await world.newestSize()) > before.size, { timeout: 20_000 }).toBe(true);
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('countersign:audit-checkpoint') as string);
      localStorage.setItem(
        'countersign:audit-checkpoint',
        JSON.stringify({ ...kept, first: { ...kept.first, seen_at: '2026-11-20T08:00:00.000Z' } }),
      );
    });
    await page.reload();
    await page.getByText('Continued', { exact: true }).waitFor();
    await page.getByText(`since checkpoint ${before.first.size}, seen at 2026-11-20`, { exact: false }).waitFor();
    expect((await remembered(page)).size).toBeGreaterThan(before.size);
    expect((await remembered(page)).first.size).toBe(before.first.size);
  });

  test.each([
    ['is shorter than what this browser verified', () => seen(1_000_000, Buffer.alloc(32, 1)), 'This log is shorter'],
    ['does not continue what this browser verified', () => seen(2, Buffer.alloc(32, 1)), 'This log contradicts'],
    [
      'is signed by another key than before',
      () => seen(2, Buffer.alloc(32, 1), { vkey: STRANGER.verifier.vkey }),
      'another key than before',
    ],
  ])('a log that %s is said loudly on every tab, and replaces nothing', async (_, kept, title) => {
    const observed = await world.page({ seen: kept() });
    const { page } = observed;
    for (const tab of ['verify', 'checkpoints', 'events']) {
      await page.goto(`/audit?tab=${tab}`);
      await page.getByRole('alert').getByRole('heading', { name: title }).waitFor();
    }
    await page.goto(`/audit?call=${call_id}`);
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    await page.getByText('The log contradicts what it showed this browser').first().waitFor();
    expect(await remembered(page)).toEqual(kept());
    await expectSound(observed);
    await screenshot(observed, `audit-alarm-${title.replaceAll(' ', '-')}`, { whole: true });
  });

  test('the alarm stays until a person accepts the other history', async () => {
    const observed = await world.page({ seen: seen(3, Buffer.alloc(32, 1)) });
    const { page } = observed;
    await page.goto('/audit?tab=checkpoints');
    const alarm = page.getByRole('alert').filter({ hasText: 'This log contradicts' });
    await alarm.waitFor();
    const [kept] = await Promise.all([page.waitForEvent('download'), alarm.getByRole('button', { name: 'Keep both checkpoints' }).click()]);
    expect(kept.suggestedFilename()).toBe('contradiction.json');
    await alarm.getByRole('button', { name: 'Accept this history' }).click();
    await expectSound(observed);
    await page.getByRole('button', { name: 'Forget the remembered checkpoint' }).click();
    await page.getByText('First visit').waitFor();
    expect((await remembered(page)).root).not.toBe(Buffer.alloc(32, 1).toString('base64'));
  });
});

describe('an evidence file', () => {
  const choose = async (page: Page, text: string, name = 'evidence.json') =>
    page.getByLabel('Evidence file').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

  const opened = async (pins: string | undefined, viewport: 'phone' | 'laptop' = 'laptop') => {
    const observed = await world.page({ pins, viewport, expected: /v1/ });
    const { page } = observed;
    await page.goto('/audit');
    await page.getByText('Drop an evidence file here').waitFor();
    await page.waitForLoadState('networkidle');
    const requests: string[] = [];
    page.on('request', (request) => request.url().includes('/v1/audit') && requests.push(request.url()));
    return { observed, page, requests };
  };

  test('is verified in the page, dropped or chosen, and sent nowhere', async () => {
    const { observed, page, requests } = await opened(world.pins());
    const text = await world.evidence(`case_id=${case_id}`);
    await choose(page, text);
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await expectSound(observed);
    await page.goto('/audit');
    await page.getByText('Drop an evidence file here').waitFor();
    requests.length = 0;
    const dropped = await page.evaluateHandle((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'dropped.json', { type: 'application/json' }));
      return data;
    }, text);
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await page.getByText('dropped.json').waitFor();
    expect(requests.filter((url) => /bundle|proof/.test(url))).toEqual([]);
  });

  test('is refused with one byte changed anywhere in a record, a signature or what it shows', async () => {
    const { page } = await opened(world.pins());
    const bundle = JSON.parse(await world.evidence(`call_id=${call_id}`));
    const schema = Object.keys(bundle.schemas)[0] as string;
    const [record, other] = [bundle.records[2], bundle.records[0]];
    const changes: [step: string, path: (string | number)[], value: unknown][] = [
      ['Records', ['records', 2, 'timestamp_ms'], record.timestamp_ms + 1],
      ['Records', ['records', 0, 'event'], { ...other.event, more: 1 }],
      ['Signature of the checkpoint', ['checkpoint'], bundle.checkpoint.replace(/\n\d+\n/, '\n99\n')],
      ['Form of the file', ['approved'], true],
      ['Schemas', ['schemas', schema], `${bundle.schemas[schema]} `],
      ['What the file is about', ['subject'], { call_id: '0-elsewhere' }],
      ['Shown states of calls', ['calls', 0, 'status'], 'denied'],
    ];
    for (const [step, path, value] of changes) {
      const copy = structuredClone(bundle);
      const place = path.slice(0, -1).reduce((at, name) => at[name], copy);
      place[path.at(-1) as string] = value;
      await choose(page, JSON.stringify(copy), `${step}.json`);
      await page.getByText(`${step}.json`).waitFor();
      await page.locator('.audit-verdict[data-outcome="refused"]').getByText(step, { exact: false }).waitFor();
    }
  });

  test('of another installation is refused under the pinned key, and only consistent without one', async () => {
    const text = await world.evidence(`call_id=${call_id}`);
    const { page } = await opened(JSON.stringify({ log: STRANGER.verifier.vkey, witnesses: [] }));
    await choose(page, text);
    await page.locator('.audit-verdict').getByText('Key of the log', { exact: false }).waitFor();
    const other = await opened(undefined);
    await choose(other.page, text);
    await other.page.getByRole('heading', { name: 'Consistent, but the key is not pinned' }).waitFor();
    await other.page.getByText('this one comes from the file itself', { exact: false }).waitFor();
  });

  test.each([
    ['no JSON', 'PK\u0003\u0004 not json'],
    ['a list', '[]'],
    ['cut', '{"format":"countersign-bundle/v1","records":[{'],
    ['deep', `{"a":${'['.repeat(100_000)}`],
    ['hostile', JSON.stringify({ format: HOSTILE, vkey: HOSTILE, [HOSTILE]: HOSTILE })],
    ['another format', JSON.stringify({ format: 'zip', __proto__: null, constructor: 1 })],
    ['empty', ''],
  ])('that is %s is refused in words, and harms nothing', async (_, text) => {
    const { observed, page } = await opened(undefined, 'phone');
    await choose(page, text, `${HOSTILE}.json`.replaceAll('/', ''));
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
    await expectSound(observed);
  });

  test('of many records leaves the page free: it answers while it verifies', async () => {
    const many = await world.records.openCase('Many calls');
    const one = () => world.records.call('probe_http_effect', order({ note: 'x'.repeat(500) }), { case_id: many });
    for (let n = 0; n < 12; n++) await Promise.all(Array.from({ length: 8 }, one));
    const text = await world.waitEvidence(`case_id=${many}`);
    const { page } = await opened(world.pins());
    // from disk: the content would else go through the page as a message of the debugger
    const file = path.join(world.records.console.platform.dir, 'many.json');
    writeFileSync(file, text);
    const longest_ms = await longestTask(page, async () => {
      await page.getByLabel('Evidence file').setInputFiles(file);
      await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor({ timeout: 120_000 });
    });
    console.log(`evidence of ${Math.round(text.length / 1024)} kB: longest task ${Math.round(longest_ms)} ms on the processor`);
    expect(longest_ms).toBeLessThan(50);
  });
});

test.each(LOOKS)('events are listed by cursor and lead to their proof, on a %s in %s', async (viewport, theme) => {
  const observed = await world.page({ viewport, theme, pins: world.pins() });
  const { page } = observed;
  await page.goto('/audit?tab=events');
  await page.getByRole('table', { name: 'Audit events' }).getByRole('row').nth(5).waitFor();
  await expectSound(observed);
  await screenshot(observed, `audit-events-${viewport}-${theme}`);
  await page.getByRole('button', { name: 'Audit reads' }).click();
  await page.getByRole('table', { name: 'Audit events' }).getByText('audit read').first().waitFor();
  await page.getByRole('table', { name: 'Audit events' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
});

test('without the role the page says what it needs, and asks for nothing', async () => {
  const { key } = await world.records.console.admin.keyFor('user', 'anna', ['approver']);
  const observed = await world.page({ key });
  const { page } = observed;
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/v1/audit') && asked.push(request.url()));
  await page.goto('/audit');
  await page.getByText('need the role “auditor”').waitFor();
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).count()).toBe(0);
  expect(asked).toEqual([]);
  await expectSound(observed);
});
