import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgliteStore } from '@countersign/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let serial = 0;

beforeEach(async () => {
  platform = await EmbeddedPlatform.start();
}, 120_000);
afterEach(() => platform.close(), 30_000);

const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' } });
const command = (...args: string[]) => countersign({ COUNTERSIGN_KEY: platform.admin().key }, ...args, '--url', platform.base);
const status = async () => ((await (await fetch(`${platform.base}/readyz`)).json()) as { status: string }).status;

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await done()); await sleep(100))
    if (performance.now() > end) throw new Error(`in vain: ${what}`);
}

/** Compares the rows of calls and of the arbiter with the complete log. */
async function whole(): Promise<void> {
  await until('all rows are compared and right', async () => (await command('scrub', '--views')).code === 0);
}

/** Changes the database while the platform is stopped. */
async function forged(text: string): Promise<void> {
  await platform.process.stop();
  const store = await PgliteStore.open({ dir: path.join(platform.dataDir, 'pg') });
  await store.query({ text, params: [] });
  await store.close();
  await platform.up();
}

test('a row set to released is found at the start: the tenant cannot write until it is repaired, and a scrub names it', async () => {
  for (let n = 0; n < 5; n++) expect((await write()).body.status).toBe('succeeded');
  await whole();
  await forged('UPDATE tool_executions SET state = 5 WHERE state = 2');
  await until('the product says that it was tampered with', async () => (await status()) === 'tampered');
  await until('the log names it', async () => platform.process.output.includes('"kind":"rows"'));
  expect(await write()).toMatchObject({ status: 409, body: { title: expect.anything() } });
  const scrubbed = await command('scrub', '--views');
  expect(scrubbed.code).toBe(1);
  expect(scrubbed.output).toContain('DAMAGED: 5 places differ from what was signed');
  expect(scrubbed.output).toMatch(
    /rows {2}tool-executed\/\d, tenant default {2}tool_executions, key .* its row says released, the log ends it as succeeded/,
  );
  expect(scrubbed.output).toContain('accept-damage');
  // Without --views only the log is compared, and it is undamaged.
  expect(await command('scrub')).toMatchObject({ code: 0, output: expect.stringContaining('no damage: ') });
  await forged('UPDATE tool_executions SET state = 2 WHERE state = 5');
  expect(await command('accept-damage', '--all', '--reason', 'restored from the backup')).toMatchObject({ code: 0 });
  expect((await write()).body.status).toBe('succeeded');
  await whole();
}, 240_000);

test('a call row with another status is found at the start, and is folded again by the command that the scrub names', async () => {
  for (let n = 0; n < 3; n++) await write();
  await whole();
  await forged(`UPDATE calls SET status = 'denied'`);
  await until('the product says that it was tampered with', async () => (await status()) === 'tampered');
  const scrubbed = await command('scrub', '--views');
  expect(scrubbed.output).toMatch(/calls, call .*: the row has status denied, the log succeeded; different: status/);
  expect(await command('projections', 'rebuild', 'call')).toMatchObject({ code: 0 });
  await command('accept-damage', '--all', '--reason', 'folded anew');
  await whole();
  expect(await status()).not.toBe('tampered');
}, 240_000);

test('a restored old key file is found at the start, and erased data stays erased', async () => {
  const keys = path.join(platform.dataDir, 'subject-keys.bin');
  const admin: Api = platform.admin();
  const rule = { tools: ['write_file'], subjects: ['/path'] };
  expect((await admin.request('PUT', '/v1/personal-data/files', rule)).status).toBeLessThan(300);
  const { body: call } = await admin.call({ tool: 'write_file', inputs: { path: 'ada.txt', content: 'x', mode: 'create' } });
  const shown = async () => JSON.stringify((await admin.readCall(call.call_id)).body.output);
  expect(await shown()).toContain('ada.txt');
  copyFileSync(keys, `${keys}.backup`);
  expect((await admin.request('POST', '/v1/subjects/ada.txt/erase', { reason: 'asked' })).status).toBeLessThan(300);
  expect(await shown()).not.toContain('ada.txt');
  await platform.process.stop();
  copyFileSync(`${keys}.backup`, keys);
  await platform.up();
  expect(await status()).toBe('tampered');
  await until('the log names it', async () => platform.process.output.includes('"kind":"keys"'));
  expect(platform.process.output).toContain('from an old copy of the keys: they were destroyed again');
  expect(await shown()).not.toContain('ada.txt');
  await command('accept-damage', '--all', '--reason', 'the old file was put back by mistake');
  expect(await status()).not.toBe('tampered');
}, 240_000);
