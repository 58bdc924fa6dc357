import { attemptKey, crashPoints } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import type { Counterparty } from '../tools/counterparty/counterparty.js';
import { duplicates } from './duplicates.js';
import { kills } from './kills.js';
import { lostAnswers } from './lost-answers.js';
import { namedCrashes } from './named-crashes.js';
import { offsetResets } from './offset-resets.js';
import { Orders } from './orders.js';
import { refolded } from './refolded.js';
import { type Scenario, sizes } from './scenario.js';
import { zombies } from './zombies.js';

const ORDERS = 240;
const size = sizes.pr;
/** The counts of a scenario whose faults were all injected while nothing had any effect. */
const done: [Scenario, Record<string, number>][] = [
  [duplicates, { requests: 1440 }],
  [lostAnswers, { lost: ORDERS }],
  [offsetResets, { resets: 1, replayed: -5 }],
  [kills, { kills: size.kills, services: 1 }],
  [namedCrashes, { crashes: crashPoints.length * size.crash_rounds }],
  [zombies, { zombies: size.zombies, taken_over: size.zombies }],
];
const verdict = (succeeded: number, in_doubt: number) => ({
  orders: ORDERS,
  succeeded,
  in_doubt,
  failed: ORDERS - succeeded - in_doubt,
  effects: succeeded,
  failures: {},
  faults: [],
});

describe.each(['embedded', 'kafka'] as const)('on %s', (mode) => {
  test.each(done.map(([scenario, counted]) => ({ name: scenario.name, scenario, counted })))(
    '$name does not hold where every order failed',
    ({ scenario, counted }) => {
      expect(scenario.judge?.(verdict(0, 0), counted, size, mode)).not.toEqual([]);
    },
  );

  test('lost results pass only if exactly the orders without a reconcile are in doubt', () => {
    const judged = (succeeded: number, in_doubt: number) => lostAnswers.judge?.(verdict(succeeded, in_doubt), { lost: ORDERS }, size, mode);
    expect(judged(160, 80)).toEqual([]);
    expect(judged(0, 240)).not.toEqual([]);
    expect(judged(161, 79)).not.toEqual([]);
    expect(judged(150, 80)).not.toEqual([]);
  });
});

test('named crashes and zombies pass with the doubts that crashes leave on Kafka, but not with doubts only', () => {
  const crashes = { crashes: crashPoints.length * size.crash_rounds };
  expect(namedCrashes.judge?.(verdict(62, 178), crashes, size, 'kafka')).toEqual([]);
  expect(namedCrashes.judge?.(verdict(62, 178), crashes, size, 'embedded')).not.toEqual([]);
  expect(namedCrashes.judge?.(verdict(0, 240), crashes, size, 'kafka')).not.toEqual([]);
  const taken = { taken_over: size.zombies };
  expect(zombies.judge?.(verdict(156, 84), taken, size, 'kafka')).toEqual([]);
  expect(zombies.judge?.(verdict(0, 240), taken, size, 'kafka')).not.toEqual([]);
});

test('zombies are taken over if another process runs, and not if there is none', () => {
  const judged = (taken_over: number, mode: 'embedded' | 'kafka') => zombies.judge?.(verdict(ORDERS, 0), { taken_over }, size, mode);
  expect([judged(size.zombies, 'kafka'), judged(0, 'embedded')]).toEqual([[], []]);
  expect(judged(0, 'kafka')).not.toEqual([]);
  expect(judged(1, 'embedded')).not.toEqual([]);
});

const KEY = '0190a1b2-0000-4000-8000-000000000001';

/** The faults found if every response has `status` and the counterparty has this many effects. */
async function faultsOf(status: string, effects: number, attempts = 1): Promise<string[]> {
  const envelope = { call_id: '0-a', idempotency_key: KEY, attempts, status, output: { ok: true } };
  const api = {
    request: async () => ({ status: 201, body: { case_id: 'c' } }),
    call: async () => ({ status: 200, body: envelope }),
    readCall: async () => ({ status: 200, body: envelope }),
  };
  const counterparty = {
    stats: async () => ({ effects, keys: 1, duplicates: effects > 1 ? [{ key: 'k', count: effects }] : [] }),
    effectsOf: async (key: string) =>
      Array.from({ length: key === attemptKey(KEY, attempts) || key === 'k' ? effects : 0 }, () => ({ asked_at_ms: 1, at_ms: 2 })),
  };
  const orders = new Orders(() => api as unknown as Api, counterparty as unknown as Counterparty);
  await orders.begin();
  await orders.insist(orders.next());
  return (await orders.verify()).faults.map((fault) => fault.slice(0, 2));
}

test('an order that succeeded has one effect, one in doubt at most one, and one that failed none', async () => {
  const found = async (status: string) => Promise.all([0, 1, 2].map((effects) => faultsOf(status, effects)));
  expect(await found('succeeded')).toEqual([['I1'], [], ['I1', 'I1']]);
  expect(await found('in_doubt')).toEqual([[], [], ['I1']]);
  for (const status of ['failed', 'expired', 'cancelled', 'denied']) expect(await found(status)).toEqual([[], ['I5'], ['I1', 'I5']]);
});

test('an effect counts under the key of the attempt that caused it', async () => {
  expect([await faultsOf('succeeded', 1, 2), await faultsOf('succeeded', 0, 2), await faultsOf('failed', 1, 3)]).toEqual([
    [],
    ['I1'],
    ['I5'],
  ]);
});

test('rows that differ from a fold of the log are a fault, unless a record was appended while they were read', async () => {
  let asked_offset = 0;
  const found = (digests: string[]) => {
    const request = async (method: string, route: string) => {
      if (method === 'POST') return { status: 202, body: { asked_offset: ++asked_offset } };
      if (!route.endsWith('/digest')) return { status: 200, body: { live: { asked_offset } } };
      return { status: 200, body: { tables: [{ table: route, rows: 1, digest: digests.shift() ?? 'same' }] } };
    };
    return refolded({ request } as unknown as Api);
  };
  expect(await found([])).toEqual([]);
  expect(await found(['one', 'two'])).toEqual([]);
  expect(await found(['1', '2', '3', '4', '5', '6'])).toEqual([expect.stringMatching(/^I6: .*rows, 5\) is .*rows, 6\)/)]);
});
