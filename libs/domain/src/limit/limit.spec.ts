import type { LimitReservation, LimitSettlement } from '@countersign/contracts';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { aCall, allows, RuledPartition } from '../testing/ruled-partition.js';
import type { Counter } from './counter.js';
import { Counters, MICRO, microOf, reserveFor, restoreReservations, settleReservations } from './decide.js';
import { forgetSettled, ledgerText, readLedger } from './ledger.js';
import type { Demand, LimitAsk, LimitVerdict, Settlement } from './state.js';

const demand = (more: Partial<Demand> = {}): Demand => ({
  counter: 'c',
  limit_id: 'l',
  subject: 's',
  per: '',
  amount_micro: MICRO,
  max_micro: 10 * MICRO,
  window_ms: null,
  settle: 'attempt',
  on_exceeded: 'deny',
  defer_timeout_ms: null,
  ...more,
});
const ask = (call_id: string, demands: Demand[], more: Partial<LimitAsk> = {}): LimitAsk => ({
  call_id,
  revision: 1,
  at_ms: 0,
  demands,
  ...more,
});
const reservationsOf = (verdict: LimitVerdict): LimitReservation[] => (verdict.kind === 'reserved' ? verdict.reservations : []);

describe('given counters', () => {
  let counters: Counters;
  beforeEach(() => {
    counters = new Counters(new Map());
  });
  const total = (key = 'c') => counters.of(key).slots.reduce((sum, [, micro]) => sum + micro, 0) / MICRO;
  const reserve = (call_id: string, demands: Demand[], more: Partial<LimitAsk> = {}) =>
    reserveFor(counters, ask(call_id, demands, more), undefined);

  test('when calls request more than the limit, then those that fit are allowed and nothing more is reserved', () => {
    const verdicts = Array.from({ length: 100 }, (_, i) => reserve(`c${i}`, [demand()]).kind);
    expect(verdicts.filter((kind) => kind === 'reserved')).toHaveLength(10);
    expect(total()).toBe(10);
  });

  test('when one of several limits is full, then nothing is reserved from any', () => {
    reserve('c1', [demand({ counter: 'full', max_micro: MICRO })]);
    const verdict = reserve('c2', [demand(), demand({ counter: 'full', max_micro: MICRO })]);
    expect(verdict).toMatchObject({ kind: 'exceeded', used_micro: MICRO, free_at_ms: null });
    expect(total()).toBe(0);
  });

  test('when the window has moved on, then its amount is free, at the time that the refusal named', () => {
    const rate = demand({ max_micro: MICRO, window_ms: 60_000 });
    reserve('c1', [rate], { at_ms: 1_000_000 });
    const refused = reserve('c2', [rate], { at_ms: 1_030_000 });
    const free_at_ms = refused.kind === 'exceeded' ? (refused.free_at_ms as number) : 0;
    expect(free_at_ms).toBeGreaterThanOrEqual(1_060_000);
    expect(free_at_ms).toBeLessThanOrEqual(1_062_000);
    expect(reserve('c3', [rate], { at_ms: free_at_ms - 1 }).kind).toBe('exceeded');
    expect(reserve('c4', [rate], { at_ms: free_at_ms }).kind).toBe('reserved');
  });

  test('when the clock jumps an hour back or forth, then no window is counted twice', () => {
    const rate = demand({ max_micro: MICRO, window_ms: 60_000 });
    reserve('c1', [rate], { at_ms: 10_000_000 });
    expect(reserve('c2', [rate], { at_ms: 10_000_000 - 3_600_000 }).kind).toBe('exceeded');
    expect(reserve('c3', [rate], { at_ms: 10_000_000 + 3_600_000 }).kind).toBe('reserved');
    expect(reserve('c4', [rate], { at_ms: 10_000_001 }).kind).toBe('exceeded');
  });

  test('when a revision is judged again, then it gets the same verdict and reserves nothing; a later one reserves only the difference', () => {
    const first = reserve('c1', [demand({ amount_micro: 4 * MICRO })]);
    const held = { revision: 1, verdict: first };
    expect(reserveFor(counters, ask('c1', [demand({ amount_micro: 4 * MICRO, max_micro: 0 })]), held)).toEqual(first);
    expect(total()).toBe(4);
    const edited = reserveFor(counters, ask('c1', [demand({ amount_micro: 10 * MICRO })], { revision: 2 }), held);
    expect(reservationsOf(edited)).toMatchObject([{ amount_micro: 10 * MICRO }]);
    expect(total()).toBe(10);
    const over = reserveFor(counters, ask('c1', [demand({ amount_micro: 11 * MICRO })], { revision: 3 }), { revision: 2, verdict: edited });
    expect(over).toMatchObject({ kind: 'exceeded' });
    const other = reserveFor(counters, ask('c1', [demand({ counter: 'd' })], { revision: 3 }), { revision: 2, verdict: edited });
    expect(reservationsOf(other).map(({ counter }) => counter)).toEqual(['c', 'd']);
  });

  test('when a revision has other demands than before, then it gets a new verdict', () => {
    const held = { revision: 2, verdict: reserve('c1', [demand({ amount_micro: 2 * MICRO })]) };
    const more = reserveFor(counters, ask('c1', [demand({ amount_micro: 11 * MICRO })], { revision: 2 }), held);
    expect(more).toMatchObject({ kind: 'exceeded' });
    const fits = reserveFor(counters, ask('c1', [demand({ amount_micro: 9 * MICRO })], { revision: 2 }), held);
    expect(reservationsOf(fits)).toMatchObject([{ amount_micro: 9 * MICRO }]);
    expect(total()).toBe(9);
  });

  test.each<[LimitSettlement, Settlement, number]>([
    ['attempt', { kind: 'released', cost: null }, 0],
    ['attempt', { kind: 'failed', cost: null }, 3],
    ['attempt', { kind: 'ran', cost: 9 }, 3],
    ['effect', { kind: 'released', cost: null }, 0],
    ['effect', { kind: 'failed', cost: null }, 0],
    ['effect', { kind: 'ran', cost: 9 }, 3],
    ['cost', { kind: 'released', cost: 9 }, 0],
    ['cost', { kind: 'failed', cost: null }, 0],
    ['cost', { kind: 'failed', cost: 1.5 }, 1.5],
    ['cost', { kind: 'ran', cost: 7.25 }, 7.25],
    ['cost', { kind: 'ran', cost: null }, 3],
    ['cost', { kind: 'ran', cost: Number.NaN }, 3],
    ['cost', { kind: 'ran', cost: -1 }, 3],
  ])('when a reservation that settles by %s ends as %j, then %d is counted', (settle, settlement, expected) => {
    const verdict = reserve('c1', [demand({ settle, amount_micro: 3 * MICRO })]);
    settleReservations(counters, reservationsOf(verdict), settlement);
    expect(total()).toBe(expected);
  });

  test('when counters are lost, then rulings and ends restore the same counts', () => {
    const verdict = reserve('c1', [demand({ window_ms: 1000 }), demand({ counter: 'd' })], { at_ms: 5000 });
    const again = new Counters(new Map());
    restoreReservations(again, reservationsOf(verdict));
    for (const key of ['c', 'd']) expect(again.of(key)).toEqual(counters.of(key));
  });

  test('when the newest amount is released, then a late record still counts no earlier than it', () => {
    const asks = (call: string, amount: number, at_ms: number) =>
      reserve(call, [demand({ window_ms: 1000, amount_micro: amount, max_micro: 2 })], { at_ms });
    asks('c1', 1, 0);
    settleReservations(counters, reservationsOf(asks('c2', 1, 1020)), { kind: 'released', cost: null });
    expect(reservationsOf(asks('late', 2, 0))).toMatchObject([{ at_ms: 1020 - (1020 % 17) }]);
  });

  test('money adds up exactly', () => {
    for (let i = 0; i < 10; i++) reserve(`c${i}`, [demand({ amount_micro: microOf(0.1) as number, max_micro: MICRO })]);
    expect(reserve('last', [demand({ amount_micro: 1, max_micro: MICRO })]).kind).toBe('exceeded');
    expect([microOf(-1), microOf(Number.NaN), microOf(1e300), microOf(Number.POSITIVE_INFINITY)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

/** The exact amount in a window, computed from every reservation and its time. */
function worstWindow(granted: readonly { at_ms: number; amount: number }[], window_ms: number | null): number {
  const inside = (end: number) => granted.filter(({ at_ms }) => window_ms === null || (at_ms <= end && at_ms > end - window_ms));
  return Math.max(0, ...granted.map(({ at_ms }) => inside(at_ms).reduce((sum, { amount }) => sum + amount, 0)));
}

const step = fc.record({
  kind: fc.constantFrom('reserve' as const, 'again' as const, 'settle' as const),
  call: fc.nat({ max: 30 }),
  at_ms: fc.nat({ max: 5000 }),
  amount: fc.nat({ max: 6 }),
  end: fc.constantFrom<Settlement['kind']>('released', 'failed', 'ran'),
});

test('for any order of reservations, repeats, ends and times, a window never exceeds its limit', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.nat({ max: 12 }), fc.constantFrom(null, 60, 1000), (steps, max, window_ms) => {
      const counters = new Counters(new Map<string, Counter>());
      const verdicts = new Map<number, LimitVerdict>();
      const demanded = new Map<number, Demand>();
      const ended = new Set<number>();
      const granted = new Map<number, { at_ms: number; amount: number }>();
      for (const { kind, call, at_ms, amount, end } of steps) {
        const before = verdicts.get(call);
        if (kind === 'settle') {
          if (before?.kind !== 'reserved' || ended.has(call)) continue;
          settleReservations(counters, before.reservations, { kind: end, cost: null });
          ended.add(call);
          if (end !== 'ran') granted.delete(call);
        } else if (kind === 'again' || before) {
          const held = before && { revision: 1, verdict: before };
          if (held) expect(reserveFor(counters, ask(`c${call}`, [demanded.get(call) as Demand], { at_ms }), held)).toBe(before);
        } else {
          const wanted = demand({ window_ms, settle: 'effect', amount_micro: amount * MICRO, max_micro: max * MICRO });
          const verdict = reserveFor(counters, ask(`c${call}`, [wanted], { at_ms }), undefined);
          verdicts.set(call, verdict);
          demanded.set(call, wanted);
          const [reservation] = verdict.kind === 'reserved' ? verdict.reservations : [];
          if (!reservation) continue;
          // A record with an earlier log time counts from the newest time in the counter.
          granted.set(call, { at_ms: Math.max(at_ms, reservation.at_ms), amount });
        }
        expect(worstWindow([...granted.values()], window_ms)).toBeLessThanOrEqual(max);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('given the ledger of a partition', () => {
  const held: LimitReservation = {
    counter: 'c',
    limit_id: 'l',
    subject: 's',
    per: '',
    amount_micro: 1,
    at_ms: 0,
    window_ms: null,
    settle: 'attempt',
  };
  const defer = { until: 'time', call_ids: [], wake_at_ms: 5, limit_id: null, timeout_at_ms: 9, on_timeout: 'deny' } as const;

  test('a call keeps its reservations until it has ended, and its end is remembered until it is in the counters', () => {
    const policy = new RuledPartition();
    policy.rule('c1', allows, { reservations: [held] });
    expect(policy.state.limits.held_by_key.get('key-1')).toBe('c1');
    policy.rule('c2', allows, { reservations: [held], key_holder: { call_id: 'c1', same_inputs: true }, call: aCall() });
    expect(policy.last('policy_decided')).toMatchObject({ joined_call_id: 'c1', reservations: [] });
    policy.rule('c3', { ...allows, effect: 'defer', defer: { ...defer, call_ids: [] } }, { call: aCall({ idempotency_key: 'k3' }) });
    expect(policy.last('policy_decided')).toMatchObject({ effect: 'defer', execute_before_ms: 0, defer });
    const { limits } = policy.state;
    expect(readLedger(JSON.parse(JSON.stringify(ledgerText(limits))))).toEqual(limits);
    expect(policy.cancel('c3')).toEqual(['call_cancelled']);
    expect(limits.deferred.size).toBe(0);
    expect([...limits.settling]).toEqual([]);
    policy.rule('c1', { ...allows, effect: 'deny' }, { revision: 2 });
    expect([...limits.settling]).toEqual(['c1']);
    expect(limits.held_by_key.size).toBe(0);
    forgetSettled(limits, ['c1']);
    expect(limits.held.size + limits.settling.size).toBe(0);
  });

  test('a deferred call is ruled on once per revision', () => {
    const policy = new RuledPartition();
    const waits = { ...allows, effect: 'defer' as const, defer: { ...defer, call_ids: [] } };
    expect(policy.rule('c1', waits)).toEqual(['policy_decided']);
    expect(policy.rule('c1', waits)).toEqual([]);
    expect(policy.rule('c1', allows, { revision: 2 })).toEqual(['policy_decided']);
    expect(policy.state.limits.deferred.size).toBe(0);
    expect(policy.state.allowed.has('c1')).toBe(true);
  });
});
