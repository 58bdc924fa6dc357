import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from './counterparty.js';
import { machineMs } from './server.js';

let counterparty: Counterparty;
beforeAll(async () => {
  counterparty = await Counterparty.start();
});
afterAll(() => counterparty.stop());

const post = (order: Record<string, unknown>) =>
  fetch(`${counterparty.url}/effect`, { method: 'POST', body: JSON.stringify({ account: 'a', amount: 1, note: '', ...order }) });

test('effects are counted per key, and a second one of a key is a duplicate', async () => {
  await post({ key: 'one' });
  await post({ key: 'two' });
  await post({ key: 'two' });
  expect(await counterparty.effectsOf('one')).toHaveLength(1);
  expect((await counterparty.stats()).duplicates).toEqual([{ key: 'two', count: 2 }]);
});

test('a lost answer has its effect, a lost request has none', async () => {
  await expect(post({ key: 'lost-answer', lose_answer: true })).rejects.toThrow();
  await expect(post({ key: 'lost-request', lose_request: true })).rejects.toThrow();
  expect(await counterparty.effectsOf('lost-answer')).toHaveLength(1);
  expect(await counterparty.effectsOf('lost-request')).toHaveLength(0);
});

test('an order that it gets to after its time has no effect, then or later', async () => {
  await expect(post({ key: 'late', delay_ms: 60, act_before_ms: machineMs() + 20 })).rejects.toThrow();
  expect(await counterparty.effectsOf('late')).toHaveLength(0);
  await post({ key: 'in-time', act_before_ms: machineMs() + 60_000 });
  expect(await counterparty.effectsOf('in-time')).toHaveLength(1);
});

test('a key done once is one effect under 50 concurrent requests, all answered alike', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, async () => (await post({ key: 'once', once: true })).text()));
  expect(new Set(answers).size).toBe(1);
  expect(await counterparty.effectsOf('once')).toHaveLength(1);
});

test('a kill -9 loses nothing that was answered, and numbers go on', async () => {
  const answered = await Promise.all(Array.from({ length: 200 }, async (_, n) => (await post({ key: `kill-${n}` })).json()));
  const before = await counterparty.stats();
  await counterparty.kill();
  await counterparty.restart();
  expect(await counterparty.stats()).toEqual(before);
  expect(answered).toHaveLength(200);
  expect(((await (await post({ key: 'after' })).json()) as { seq: number }).seq).toBe(before.effects + 1);
});
