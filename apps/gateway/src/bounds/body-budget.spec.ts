import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyBudget, type BodyReservation, isOverrun } from './body-budget.js';

const caps = { body_bytes_max: 100, body_bytes_per_address_max: 60, body_bytes_per_tenant_max: 40 };

function reserved(budget: BodyBudget, address: string, bytes: number): BodyReservation {
  const reservation = budget.reserve(address, bytes);
  if (isOverrun(reservation)) throw new Error(`over ${reservation.scope}`);
  return reservation;
}

test('an address, a tenant and the process each have a cap, and a refusal names the cap', () => {
  const budget = new BodyBudget(caps);
  expect(reserved(budget, 'a', 30).assign('t')).toBeUndefined();
  const second = reserved(budget, 'a', 20);
  expect(second.assign('t')).toEqual({ scope: 'tenant', found_bytes: 30, wanted_bytes: 20, max_bytes: 40 });
  expect(budget.reserve('a', 20)).toEqual({ scope: 'address', found_bytes: 50, wanted_bytes: 20, max_bytes: 60 });
  reserved(budget, 'b', 50);
  expect(budget.reserve('c', 1)).toEqual({ scope: 'process', found_bytes: undefined, wanted_bytes: 1, max_bytes: 100 });
});

test('a tenant has one cap over all its addresses', () => {
  const budget = new BodyBudget(caps);
  reserved(budget, 'a', 30).assign('t');
  expect(reserved(budget, 'b', 30).assign('t')?.scope).toBe('tenant');
});

test('a reservation is released once, and cannot grow afterwards', () => {
  const budget = new BodyBudget(caps);
  const kept = reserved(budget, 'a', 10);
  const released = reserved(budget, 'a', 20);
  released.release();
  released.release();
  expect([released.grow(30), released.assign('t')]).toEqual([undefined, undefined]);
  expect(budget.counts.tenant.of('t')).toBe(0);
  expect(budget.bytes).toBe(10);
  kept.release();
  expect([budget.bytes, budget.counts.address.keys]).toEqual([0, 0]);
});

const step = fc.record({
  act: fc.constantFrom('reserve', 'grow', 'assign', 'release'),
  at: fc.nat(6),
  name: fc.constantFrom('a', 'b', 'c'),
  bytes: fc.nat(50),
});

test('no order exceeds a cap, and nothing is left once all are released', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new BodyBudget(caps);
      const all: { reservation: BodyReservation; assigned: boolean }[] = [];
      for (const { act, at, name, bytes } of steps) {
        const one = all[at];
        if (act === 'reserve') {
          const reservation = budget.reserve(name, bytes);
          if (!isOverrun(reservation)) all.push({ reservation, assigned: false });
        } else if (act === 'grow') one?.reservation.grow(bytes);
        else if (act === 'release') one?.reservation.release();
        else if (one && !one.assigned) one.assigned = one.reservation.assign(name) === undefined;
        expect(budget.bytes).toBeLessThanOrEqual(caps.body_bytes_max);
        for (const key of ['a', 'b', 'c']) {
          expect(budget.counts.address.of(key)).toBeLessThanOrEqual(caps.body_bytes_per_address_max);
          expect(budget.counts.tenant.of(key)).toBeLessThanOrEqual(caps.body_bytes_per_tenant_max);
        }
      }
      for (const { reservation } of all) reservation.release();
      expect(Object.values(budget.counts).map(({ keys }) => keys)).toEqual([0, 0, 0]);
    }),
    { numRuns: 1_000 },
  );
});
