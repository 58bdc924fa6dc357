import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let counterparty: Counterparty;
let platform: EmbeddedPlatform;
let serial = 0;
const order = (more: Record<string, unknown> = {}) => ({ account: `acct-${++serial}`, amount: 3, note: 'stop', ...more });

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
});
afterAll(async () => {
  await platform.close();
  await counterparty.stop();
});

/** Agents that call without a pause until the platform has ended; their responses are recorded. */
async function keepCalling(api: Api, answers: Envelope[]): Promise<void> {
  for (;;) {
    const inputs = order({ delay_ms: 20 });
    const answer = await api.call({ tool: 'probe_http_effect', inputs }).catch(() => undefined);
    if (!answer) return;
    if (answer.status === 503) return;
    answers.push(answer.body);
  }
}

test('SIGTERM under load: ends with 0 by itself, loses no acknowledged call, runs nothing twice', async () => {
  const api = platform.admin();
  const answers: Envelope[] = [];
  const agents = Array.from({ length: 32 }, () => keepCalling(api, answers));
  while (answers.length < 100) await sleep(20);
  expect(await platform.process.stop('SIGTERM', 100_000)).toBe(0);
  await Promise.all(agents);
  expect(answers.length).toBeGreaterThanOrEqual(100);
  await platform.up();
  const recorded = await Promise.all(answers.map((each) => api.callUntil(each.call_id, ({ status }) => status === 'succeeded')));
  expect(recorded.map(({ output }) => output)).toEqual(
    answers.map((each, at) => (each.status === 'succeeded' ? each.output : recorded[at]?.output)),
  );
  const { duplicates, effects } = await counterparty.stats();
  expect(duplicates).toEqual([]);
  expect(effects).toBeGreaterThanOrEqual(answers.length);
});

test('after a machine crash, rows that PGlite never synced are folded again from the log, and repeats get their first result', async () => {
  const api = platform.admin();
  const { effects } = await counterparty.stats();
  const inputs = Array.from({ length: 30 }, () => order());
  const first = await Promise.all(inputs.map((each) => api.call({ tool: 'probe_http_effect', inputs: each })));
  await platform.process.stop('SIGKILL');
  const boot = path.join(platform.dataDir, 'pg.boot');
  const thisBoot = readFileSync(boot, 'utf8');
  writeFileSync(boot, 'another-boot');
  writeFileSync(path.join(platform.dataDir, 'pg', 'of-the-last-boot'), '');
  await platform.up();
  expect(platform.process.output).toContain('the machine stopped unexpectedly');
  expect(readFileSync(boot, 'utf8')).toBe(thisBoot);
  expect(() => readFileSync(path.join(platform.dataDir, 'pg', 'of-the-last-boot'))).toThrow('ENOENT');
  for (const { body } of first) expect((await api.readCall(body.call_id)).body).toEqual({ ...body, effect_now: expect.any(String) });
  const again = await Promise.all(inputs.map((each) => api.call({ tool: 'probe_http_effect', inputs: each })));
  expect(again.map(({ body }) => [body.deduplicated, body.output])).toEqual(first.map(({ body }) => [true, body.output]));
  expect((await counterparty.stats()).effects).toBe(effects + 30);
});
