import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { order } from './journey-world.js';
import { Receiver } from './receiver.js';

let counterparty: Counterparty;
let platform: EmbeddedPlatform;
beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url, COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

test('a callback_url receives the end; a callback it did not accept before a clean restart is sent after it with the same id', async () => {
  const api = platform.admin();
  const taken = await Receiver.start();
  const busy = await Receiver.start(Number.POSITIVE_INFINITY, 503);
  try {
    const call = (receiver: Receiver) => api.call({ tool: 'probe_http_effect', inputs: order(), callback_url: receiver.url });
    const [notified, owed] = await Promise.all([call(taken), call(busy)]);
    const [first] = await taken.received(1);
    expect(JSON.parse(first?.body as string)).toMatchObject({
      type: 'call.ended',
      data: { call_id: notified.body.call_id, status: 'succeeded' },
    });
    const before = [...(await busy.received(1))];
    expect(await platform.process.stop('SIGTERM', 20_000)).toBe(0);
    busy.accept();
    await platform.up();
    const all = await busy.received(before.length + 1, 60_000);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(JSON.parse(all.at(-1)?.body as string).data).toMatchObject({ call_id: owed.body.call_id, status: 'succeeded' });
    expect(await taken.received(1)).toHaveLength(1);
  } finally {
    await taken.stop();
    await busy.stop();
  }
});

test('a callback not accepted before the machine crashed and lost its database is sent after the start with the same id', async () => {
  const api = platform.admin();
  const busy = await Receiver.start(Number.POSITIVE_INFINITY, 503);
  try {
    const { body } = await api.call({ tool: 'probe_http_effect', inputs: order(), callback_url: busy.url });
    expect(body.status).toBe('succeeded');
    await busy.received(1);
    await platform.process.stop('SIGKILL');
    await rm(path.join(platform.dataDir, 'pg'), { recursive: true });
    const before = (await busy.received(1)).length;
    busy.accept();
    await platform.up();
    const all = await busy.received(before + 1, 60_000);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(JSON.parse(all.at(-1)?.body as string).data).toMatchObject({ call_id: body.call_id, status: 'succeeded' });
  } finally {
    await busy.stop();
  }
});
