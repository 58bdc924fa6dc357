import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let counterparty: Counterparty;
let platform: EmbeddedPlatform;
let serial = 0;
const order = (more: Record<string, unknown> = {}) => ({ account: `acct-${++serial}`, amount: 3, note: 'durable', ...more });

// One platform that is killed repeatedly: each test counts the effects of its own calls at the counterparty.
beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
});
afterAll(async () => {
  await platform.close();
  await counterparty.stop();
});

const settled = (envelope: Envelope) => ['succeeded', 'failed', 'in_doubt'].includes(envelope.status);

async function ended(api: Api, ids: string[]): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for (const id of ids) envelopes.push(await api.callUntil(id, settled, 40_000));
  return envelopes;
}

describe('the embedded platform, killed and started again', () => {
  test('GET returns the results that callers were waiting for, no returned result is lost, and no effect happens twice', async () => {
    const api = platform.admin();
    const before = (await counterparty.stats()).effects;
    const answered: Envelope[] = [];
    for (let i = 0; i < 20; i++) answered.push((await api.call({ tool: 'probe_http_effect', inputs: order() })).body);
    const slow = await Promise.all(
      Array.from({ length: 10 }, () =>
        api.call({ tool: 'probe_http_effect', inputs: order({ answer_delay_ms: 1500 }) }, { prefer: 'wait=0' }),
      ),
    );
    expect(slow.map((answer) => answer.status)).toEqual(Array(10).fill(202));
    await platform.process.until('every order under way', async () => (await counterparty.stats()).effects === before + 30);
    await platform.process.stop('SIGKILL');
    await platform.up();
    for (const first of answered) expect((await api.readCall(first.call_id)).body).toEqual({ ...first, effect_now: expect.any(String) });
    const after = await ended(
      api,
      slow.map((answer) => answer.body.call_id),
    );
    expect(after.map((envelope) => envelope.status)).toEqual(Array(10).fill('succeeded'));
    const { duplicates, effects } = await counterparty.stats();
    expect(duplicates).toEqual([]);
    expect(effects).toBe(before + 30);
  });

  test('a repeat whose result was on the log when the process died gets that result once when it is sent again', async () => {
    const api = platform.admin();
    const inputs = order();
    const first = (await api.call({ tool: 'probe_http_effect', inputs, context: { request_id: 'first-of-two' } })).body;
    const repeat = { tool: 'probe_http_effect', inputs, context: { request_id: 'second-of-two' } };
    await platform.process.stop('SIGKILL');
    await platform.up({ COUNTERSIGN_CRASH_AT: 'executor.after_end' });
    await api.call(repeat).catch(() => undefined);
    await platform.process.exit();
    await platform.up();
    const answers = await Promise.all([api.call(repeat), api.call(repeat)]);
    for (const { body } of answers)
      expect(body).toMatchObject({ status: 'succeeded', deduplicated: true, idempotency_key: first.idempotency_key, output: first.output });
    const { call_id } = (answers[0] as (typeof answers)[number]).body;
    const { body } = await api.request<{ items: { type: string }[] }>('GET', `/v1/audit/events?limit=500&call_id=${call_id}`);
    expect(body.items.filter(({ type }) => type === 'tool_retry_deduplicated')).toHaveLength(1);
    expect(await counterparty.effectsOf(first.idempotency_key)).toHaveLength(1);
  });

  test('an approval that was pending during a kill can still be given', async () => {
    const admin = platform.admin();
    const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
    const anna = await admin.keyFor('user', 'anna', ['approver']);
    const envelope = (await agent.call({ tool: 'probe_approval', inputs: order() })).body;
    await platform.process.stop('SIGKILL');
    await platform.up();
    expect((await anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, { vote: 'approve' })).status).toBeLessThan(
      300,
    );
    await agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
    expect(await counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(1);
  });

  test.each([
    ['the database is deleted', ['pg']],
    ["every consumer's offsets are reset to 0", ['log/offsets.json']],
    ['both', ['pg', 'log/offsets.json']],
  ])(
    'nothing fires again and repeats get their first result when %s',
    async (_, removed) => {
      const api = platform.admin();
      const { effects } = await counterparty.stats();
      const inputs = Array.from({ length: 30 }, () => order());
      const first = await Promise.all(inputs.map((each) => api.call({ tool: 'probe_http_effect', inputs: each })));
      const released = await api.call({ tool: 'probe_fail', inputs: { effect: 'none', code: 'PROVIDER_ERROR' } });
      expect(released.body.status).toBe('failed');
      // The offsets are saved lazily: the files must exist before they can be deleted.
      await platform.process.until('saved offsets', async () => removed.every((part) => existsSync(path.join(platform.dataDir, part))));
      await platform.process.stop('SIGKILL');
      for (const part of removed) rmSync(path.join(platform.dataDir, part), { recursive: true, force: false });
      await platform.up();
      await sleep(1000);
      expect((await counterparty.stats()).effects).toBe(effects + 30);
      const again = await Promise.all(inputs.map((each) => api.call({ tool: 'probe_http_effect', inputs: each })));
      expect(again.map(({ body }) => [body.status, body.deduplicated, body.output])).toEqual(
        first.map(({ body }) => ['succeeded', true, body.output]),
      );
      expect((await counterparty.stats()).effects).toBe(effects + 30);
      for (const { body } of first) expect((await api.readCall(body.call_id)).body).toEqual({ ...body, effect_now: expect.any(String) });
    },
    120_000,
  );
});
