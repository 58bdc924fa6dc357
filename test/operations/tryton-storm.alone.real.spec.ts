import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChaosProxy } from './chaos-proxy.js';
import { freshYear, TrytonPlatform } from './tryton-platform.js';
import { TrytonWorld } from './tryton-world.js';

/** 100 in a run of the whole check; 1,000 by hand. */
const ORDERS = Number(process.env.COUNTERSIGN_TEST_ORDERS ?? 100);
const seed = Number(process.env.COUNTERSIGN_TEST_SEED ?? Date.now() % 100_000);
const AT_ONCE = 8;
const OPEN: readonly (string | undefined)[] = ['running', 'pending_policy', undefined];

const tryton = new TrytonWorld();
const faults = { lose_request: 0.03, lose_answer: 0.1, delay_ms_max: 200 };
const proxy = new ChaosProxy(tryton.url, /"model\.purchase\.purchase\.create"/, faults, seed);
let world: TrytonPlatform;

beforeAll(async () => {
  world = await TrytonPlatform.start(tryton, await proxy.start());
});
afterAll(async () => {
  await world?.close();
  proxy.stop();
});

const first = Date.UTC(freshYear(), 0, 1);
const days = Array.from({ length: ORDERS }, (_, at) => new Date(first + at * 86_400_000).toISOString().slice(0, 10));

/** Sends one order until the platform has it on record: a killed gateway answers nothing. */
async function sent(delivery_date: string, case_id: string): Promise<string> {
  const line_items = [{ product: 'p_widget_a', quantity: 3, unit_price: '12.50' }];
  const body = { tool: 'create_purchase_order', inputs: { supplier: 'sup_alpha', line_items, delivery_date }, case_id };
  for (;;) {
    const answer = await world.agent.call(body, { prefer: 'wait=0' }).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body.call_id;
    await sleep(200);
  }
}

/** Why calls failed, and how often. */
const failures = new Map<string, number>();

async function statusOf(call_id: string): Promise<string | undefined> {
  const call = (await world.agent.readCall(call_id).catch(() => undefined))?.body;
  if (call?.error) failures.set(call.error.message, (failures.get(call.error.message) ?? 0) + 1);
  return call?.status;
}

test('orders in Tryton are the keys that succeeded: none twice, none in doubt, whatever is cut, repeated and killed', async () => {
  const { body } = await world.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'storm' });
  const calls = new Map<string, string[]>();
  const waiting = [...days];
  const worker = async () => {
    for (let date = waiting.shift(); date !== undefined; date = waiting.shift())
      calls.set(date, await Promise.all([sent(date, body.case_id), sent(date, body.case_id)]));
  };
  const killer = async () => {
    while (waiting.length > ORDERS / 2) await sleep(100);
    await world.kill();
  };
  await Promise.all([...Array.from({ length: AT_ONCE }, worker), killer()]);

  const ended = new Map<string, (string | undefined)[]>();
  for (const end = performance.now() + 200_000; ended.size < ORDERS && performance.now() < end; await sleep(500))
    for (const [date, ids] of calls) {
      if (ended.has(date)) continue;
      const states = await Promise.all(ids.map(statusOf));
      if (!states.some((state) => OPEN.includes(state))) ended.set(date, states);
    }
  const found = new Map(await Promise.all(days.map(async (date) => [date, (await tryton.ordersOn(date)).length] as const)));
  const wrong = days.filter((date) => found.get(date) !== (ended.get(date)?.includes('succeeded') ? 1 : 0));
  const all = [...ended.values()].flat();
  const counts = Object.fromEntries([...new Set(all)].map((state) => [state, all.filter((one) => one === state).length]));
  process.stdout.write(
    `storm: seed ${seed}, ${ORDERS} orders, ${proxy.lost_answers} answers and ${proxy.lost_requests} requests lost, 1 kill: ${JSON.stringify(counts)} ${JSON.stringify([...failures])}\n`,
  );
  expect(wrong).toEqual([]);
  expect([ended.size, counts.in_doubt ?? 0]).toEqual([ORDERS, 0]);
  expect(proxy.lost_answers).toBeGreaterThan(0);
  expect(counts.succeeded ?? 0).toBeGreaterThan(ORDERS);
});
