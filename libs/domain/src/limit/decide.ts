import type { LimitReservation } from '@countersign/contracts';
import { type Counter, freeAt, NO_COUNT, put, slotAt, usedAt } from './counter.js';
import type { Demand, HeldVerdict, LimitAsk, LimitVerdict, Settlement } from './state.js';

/** Counters by key. `changed`: the keys that must be written. */
export class Counters {
  readonly changed = new Set<string>();

  constructor(private readonly counters: Map<string, Counter>) {}

  of(key: string): Counter {
    return this.counters.get(key) ?? NO_COUNT;
  }

  put(key: string, slot_ms: number, amount_micro: number, window_ms: number | null): void {
    if (amount_micro === 0) return;
    this.counters.set(key, put(this.of(key), slot_ms, amount_micro, window_ms));
    this.changed.add(key);
  }
}

const heldOf = (held: HeldVerdict | undefined): readonly LimitReservation[] =>
  held?.verdict.kind === 'reserved' ? held.verdict.reservations : [];

function exceeded(counters: Counters, demand: Demand, at_ms: number, held_micro: number): LimitVerdict | undefined {
  const { window_ms, max_micro } = demand;
  const counter = counters.of(demand.counter);
  const slot_ms = slotAt(counter, at_ms, window_ms);
  const amount_micro = demand.amount_micro - held_micro;
  const used_micro = usedAt(counter, slot_ms, window_ms);
  if (amount_micro < 0 || used_micro + amount_micro <= max_micro) return undefined;
  return { kind: 'exceeded', demand, used_micro, free_at_ms: freeAt(counter, { slot_ms, window_ms, amount_micro, max_micro }) };
}

function reserve(counters: Counters, demand: Demand, at_ms: number, before: LimitReservation | undefined): LimitReservation {
  const { counter, limit_id, subject, per, window_ms, amount_micro, settle } = demand;
  const slot_ms = before?.at_ms ?? slotAt(counters.of(counter), at_ms, window_ms);
  counters.put(counter, slot_ms, amount_micro - (before?.amount_micro ?? 0), window_ms);
  return { counter, limit_id, subject, per, amount_micro, at_ms: slot_ms, window_ms, settle };
}

/**
 * True if a verdict is about the same demands. A revision with other demands (one edit was refused, then another was made) needs a new
 * verdict.
 */
function isSame(verdict: LimitVerdict, { demands }: LimitAsk): boolean {
  const has =
    ({ counter, amount_micro }: Pick<Demand, 'counter' | 'amount_micro'>) =>
    (one: Pick<Demand, 'counter' | 'amount_micro'>) =>
      one.counter === counter && one.amount_micro === amount_micro;
  if (verdict.kind === 'exceeded') return demands.some(has(verdict.demand));
  return demands.every((demand) => verdict.reservations.some(has(demand)));
}

/** Reserves all demands of a call or none. A revision that was decided before gets the same verdict and reserves nothing more. */
export function reserveFor(counters: Counters, ask: LimitAsk, held: HeldVerdict | undefined): LimitVerdict {
  if (held && (held.revision > ask.revision || (held.revision === ask.revision && isSame(held.verdict, ask)))) return held.verdict;
  const before = new Map(heldOf(held).map((one) => [one.counter, one]));
  for (const demand of ask.demands) {
    const refusal = exceeded(counters, demand, ask.at_ms, before.get(demand.counter)?.amount_micro ?? 0);
    if (refusal) return refusal;
  }
  const taken = ask.demands.map((demand) => reserve(counters, demand, ask.at_ms, before.get(demand.counter)));
  const kept = [...before.values()].filter((one) => !taken.some((reservation) => reservation.counter === one.counter));
  return { kind: 'reserved', reservations: [...kept, ...taken] };
}

export const MICRO = 1_000_000;
/** The amount in millionths; undefined if the number cannot be counted. */
export function microOf(amount: number): number | undefined {
  const micro = Math.round(amount * MICRO);
  return Number.isSafeInteger(micro) && micro >= 0 ? micro : undefined;
}

/** The final amount of a reservation when its call has ended, millionths. */
function settledAmount({ amount_micro, settle }: LimitReservation, { kind, cost }: Settlement): number {
  if (kind === 'released') return 0;
  if (settle === 'attempt') return amount_micro;
  if (settle === 'effect') return kind === 'failed' ? 0 : amount_micro;
  return (cost === null ? undefined : microOf(cost)) ?? (kind === 'failed' ? 0 : amount_micro);
}

/** Settles the reservations of a call. The caller must ensure that this happens once. */
export function settleReservations(counters: Counters, reservations: readonly LimitReservation[], settlement: Settlement): void {
  for (const reservation of reservations) {
    const { counter, at_ms, amount_micro, window_ms } = reservation;
    counters.put(counter, at_ms, settledAmount(reservation, settlement) - amount_micro, window_ms);
  }
}

/** Restores the reservations of a ruling on the log after the counters were lost. */
export function restoreReservations(counters: Counters, reservations: readonly LimitReservation[]): void {
  for (const { counter, at_ms, amount_micro, window_ms } of reservations) counters.put(counter, at_ms, amount_micro, window_ms);
}
