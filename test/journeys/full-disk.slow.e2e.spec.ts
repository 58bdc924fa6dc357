import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Answer, Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { type SmallDisk, smallDisk } from './small-disk.js';

let counterparty: Counterparty;
let platform: EmbeddedPlatform;
let disk: SmallDisk;
let serial = 0;
const order = () => ({ account: `acct-${++serial}`, amount: 3, note: 'n'.repeat(490) });

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await EmbeddedPlatform.create({ COUNTERSIGN_PROBE_URL: counterparty.url });
  mkdirSync(platform.dataDir);
  disk = smallDisk(platform.dataDir, { reported: process.env.COUNTERSIGN_TEST_TOLD_DISK === '1' });
  await platform.up(disk.env);
});
afterAll(async () => {
  await platform.process.stop();
  disk.close();
  await platform.close();
  await counterparty.stop();
});

async function status(): Promise<{ code: number; status: string }> {
  const response = await fetch(`${platform.base}/readyz`);
  return { code: response.status, status: ((await response.json()) as { status: string }).status };
}

/**
 * Sends orders one after the other until one is refused; returns the completed orders, those that wait because the disk became full
 * meanwhile, and the refusal.
 */
async function untilRefused(api: Api) {
  const answered: Answer<Envelope>[] = [];
  const waiting: Answer<Envelope>[] = [];
  for (let i = 0; i < 400; i++) {
    const inputs = order();
    // Requests in flight when the disk became full get responses once it has space: no wait of half a minute.
    const answer = await api.call({ tool: 'probe_http_effect', inputs }, { prefer: 'wait=5' });
    if (answer.status === 200) answered.push(answer);
    else if (answer.status === 202) waiting.push(answer);
    else return { answered, waiting, refused: { inputs, answer } };
  }
  throw new Error('400 orders were answered on a disk that has no room for them');
}

test('a full disk: 503 with Retry-After, /readyz reports it, and everything resumes by itself when there is space', async () => {
  const api = platform.admin();
  const before = (await api.call({ tool: 'probe_http_effect', inputs: order() })).body;
  disk.fill(256 * 1024);
  const { answered, waiting, refused } = await untilRefused(api);
  expect(answered.map(({ body }) => body.status)).toEqual(answered.map(() => 'succeeded'));
  expect(refused.answer.status).toBe(503);
  expect(Number(refused.answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.answer.headers.get('content-type')).toContain('application/problem+json');
  expect(await status()).toEqual({ code: 503, status: 'log_full' });
  expect((await api.call({ tool: 'probe_http_effect', inputs: order() })).status).toBe(503);
  const { effects } = await counterparty.stats();
  expect(effects).toBeGreaterThanOrEqual(answered.length + 1);
  expect(effects).toBeLessThanOrEqual(answered.length + 1 + waiting.length);

  disk.free();
  await platform.process.until('ready again', async () => (await status()).code === 200);
  const again = await api.call({ tool: 'probe_http_effect', inputs: refused.inputs });
  expect(again.body.status).toBe('succeeded');
  for (const { body } of waiting) await api.callUntil(body.call_id, ({ status }) => status === 'succeeded');
  expect(await counterparty.effectsOf(again.body.idempotency_key)).toHaveLength(1);
  for (const { body } of [...answered, { body: before }])
    expect((await api.readCall(body.call_id)).body).toEqual({ ...body, effect_now: expect.any(String) });
  expect((await counterparty.stats()).duplicates).toEqual([]);
});

test('killed while the disk is full and started when there is space: no partial data, and no acknowledged call is lost', async () => {
  const api = platform.admin();
  disk.fill(256 * 1024);
  const { answered } = await untilRefused(api);
  await platform.process.stop('SIGKILL');
  disk.free();
  await platform.up(disk.env);
  for (const { body } of answered) expect((await api.readCall(body.call_id)).body).toEqual({ ...body, effect_now: expect.any(String) });
  await sleep(500);
  expect((await api.call({ tool: 'probe_http_effect', inputs: order() })).body.status).toBe('succeeded');
  expect((await counterparty.stats()).duplicates).toEqual([]);
  expect(readdirSync(path.join(platform.dataDir, 'log')).filter((name) => name.endsWith('.new'))).toEqual([]);
});
