import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsLeft } from './calls-left.js';
import { Counters, MICRO, reserveFor } from './decide.js';
import type { Demand } from './state.js';

const demand = (counter: string, max: number, amount = 1): Demand => ({
  ...{ counter, limit_id: counter, subject: 's', per: '', amount_micro: amount * MICRO, max_micro: max * MICRO, window_ms: 60_000 },
  ...{ settle: 'attempt', on_exceeded: 'deny', defer_timeout_ms: null },
});

test('nothing limits a call without demands, or whose amounts are zero', () => {
  expect([callsLeft([], new Map(), 0), callsLeft([demand('a', 5, 0)], new Map(), 0)]).toEqual([null, null]);
});

test('the tightest counter counts, and a full one leaves no call', () => {
  const counters = new Map([['a', { slots: [[0, 4 * MICRO]] as [number, number][] }]]);
  expect(callsLeft([demand('a', 5), demand('b', 3)], counters, 0)).toBe(1);
  expect(callsLeft([demand('a', 4), demand('b', 3)], counters, 0)).toBe(0);
  expect(callsLeft([demand('a', 4)], counters, 70_000)).toBe(4);
});

test('as many calls are left as the limits then let pass', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 8 }), (max, amount, before) => {
      const stored = new Map();
      const counters = new Counters(stored);
      const reserve = (n: number, size: number) =>
        reserveFor(counters, { call_id: `c${n}`, revision: 1, at_ms: 1_000, demands: [demand('a', max, size)] }, undefined).kind ===
        'reserved';
      for (let n = 0; n < before; n++) reserve(n, 1);
      const left = callsLeft([demand('a', max, amount)], stored, 1_000) as number;
      let passed = 0;
      while (reserve(100 + passed, amount)) passed++;
      expect(left).toBe(passed);
    }),
  );
});
