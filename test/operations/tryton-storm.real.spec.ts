import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChaosProxy } from './chaos-proxy.js';
import { freshYear, TrytonPlatform } from './tryton-platform.js';
import { TrytonWorld } from './tryton-world.js';

/** 100 in a run of the whole check; 1,000 by hand. */
const ORDERS = Number(process.env.COUNTERSIGN_TEST_ORDERS ?? 100);
const seed = Number(process.env.COUNTERSIGN_TEST_SEED ?? Date.now() % 100_000);
const AT_ONCE = 8;
/** What is refused because too many wait is asked for again. */
const ROUNDS_MAX = 5 + ORDERS / 100;
/** Of one round: half a second for each order, and the waits for lost answers. */
const ENDS_WITHIN_MS = 200_000 + ORDERS * 500;
const OPEN: readonly string[] = ['running', 'pending_policy', 'queued'];
/** The platform is killed when so much of the first round is left to send. */
const KILLED_AT = [2 / 3, 1 / 3];

const tryton = new TrytonWorld();
const faults = { lose_request: 0.03, lose_answer: 0.1, delay_ms_max: 200, stall: 0.02, stall_ms: 17_000 };
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

interface Sent {
  call_id: string;
  deduplicated?: boolean;
  output?: { po_id?: string } | null;
}

/** Sends one order until the platform has it on record: a killed gateway answers nothing. */
async function sent(delivery_date: string, case_id: string): Promise<Sent> {
  const line_items = [{ product: 'p_widget_a', quantity: 3, unit_price: '12.50' }];
  const body = { tool: 'create_purchase_order', inputs: { supplier: 'sup_alpha', line_items, delivery_date }, case_id };
  for (;;) {
    const answer = await world.agent.call(body, { prefer: 'wait=0' }).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body as Sent;
    await sleep(200);
  }
}

/** Why calls failed, and how often. */
const failures = new Map<string, number>();

interface Listed {
  call_id: string;
  status: string;
  error: { message: string; details?: { cause?: { message: string } } } | null;
}

/** The states of all calls of a case. */
async function statesOf(case_id: string): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  failures.clear();
  for (let after = ''; ; ) {
    const query = `/v1/calls?case_id=${case_id}&limit=500&fields=call_id,status,error${after}`;
    const { body } = await world.agent.request<{ items: Listed[]; next_cursor: string | null }>('GET', query);
    for (const { call_id, status, error } of body.items) {
      states.set(call_id, status);
      const why = error && (error.details?.cause?.message ?? error.message);
      if (why) failures.set(why, (failures.get(why) ?? 0) + 1);
    }
    if (body.next_cursor === null) return states;
    after = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

/** Kills the platform when so many orders are left to send. */
async function killer(waiting: readonly string[], case_id: string): Promise<void> {
  for (const share of KILLED_AT) {
    while (waiting.length > ORDERS * share) await sleep(100);
    await world.kill();
    // The next kill is of a platform that works again.
    await sent(days[0] as string, case_id);
  }
}

/** Sends the orders of these days, each twice at once, and waits until their calls have ended. @returns the states of each day's calls */
async function round(dates: readonly string[], case_id: string, kills: boolean): Promise<Map<string, (string | undefined)[]>> {
  const waiting = [...dates];
  const calls = new Map<string, string[]>();
  const worker = async () => {
    for (let date = waiting.shift(); date !== undefined; date = waiting.shift()) {
      const both = await Promise.all([sent(date, case_id), sent(date, case_id)]);
      calls.set(
        date,
        both.map(({ call_id }) => call_id),
      );
    }
  };
  await Promise.all([...Array.from({ length: AT_ONCE }, worker), ...(kills ? [killer(waiting, case_id)] : [])]);
  for (const end = performance.now() + ENDS_WITHIN_MS; ; await sleep(1_000)) {
    const states = await statesOf(case_id);
    const ended = [...calls].map(([date, ids]) => [date, ids.map((id) => states.get(id))] as const);
    const open = ended.filter(([, of_date]) => of_date.some((state) => state === undefined || OPEN.includes(state)));
    if (open.length === 0 || performance.now() > end) return new Map(ended);
  }
}

test(
  'orders in Tryton are the keys that succeeded: none twice, none in doubt, whatever is cut, late, repeated and killed',
  async () => {
    const begun = performance.now();
    const { body } = await world.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'storm' });
    const counts: Record<string, number> = {};
    let left: readonly string[] = days;
    const rounds_s: number[] = [];
    for (let rounds = 0; left.length > 0 && rounds < ROUNDS_MAX; rounds++) {
      const ended = await round(left, body.case_id, rounds === 0);
      for (const state of [...ended.values()].flat()) counts[String(state)] = (counts[String(state)] ?? 0) + 1;
      const found = await tryton.ordersBetween(days[0] as string, days.at(-1) as string);
      const wrong = left
        .map((date) => ({ date, orders: found.get(date) ?? 0, states: ended.get(date) ?? [] }))
        .filter(({ orders, states }) => orders !== (states.includes('succeeded') ? 1 : 0));
      expect([wrong, ended.size], JSON.stringify([...failures])).toEqual([[], left.length]);
      rounds_s.push(Math.round((performance.now() - begun) / 1_000));
      // What did not happen is asked for again, as an agent would.
      left = left.filter((date) => !ended.get(date)?.includes('succeeded'));
    }
    const lost = `${proxy.lost_answers} answers and ${proxy.lost_requests} requests lost, ${proxy.stalled} late, ${KILLED_AT.length} kills`;
    const took = `rounds ended after ${rounds_s.join(', ')} s`;
    process.stdout.write(`storm: seed ${seed}, ${ORDERS} orders, ${lost}, ${took}: ${JSON.stringify([counts, [...failures]])}\n`);
    expect([left, counts.in_doubt ?? 0]).toEqual([[], 0]);
    expect(Math.min(proxy.lost_answers, proxy.lost_requests, proxy.stalled)).toBeGreaterThan(0);
    // Long after: each tenth is asked for once more.
    const again = await Promise.all(days.filter((_, at) => at % 10 === 0).map((date) => sent(date, body.case_id)));
    const ends = await Promise.all(again.map(({ call_id }) => world.agent.callUntil(call_id, ({ status }) => !OPEN.includes(status))));
    expect(ends.filter(({ status, deduplicated }) => status !== 'succeeded' || !deduplicated)).toEqual([]);
    const found = await tryton.ordersBetween(days[0] as string, days.at(-1) as string);
    expect([found.size, Math.max(...found.values())]).toEqual([ORDERS, 1]);
  },
  120_000 + ROUNDS_MAX * ENDS_WITHIN_MS,
);
