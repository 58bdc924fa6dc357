import type { LimitReservation } from '@countersign/contracts';
import {
  type Exceeded,
  type HeldVerdict,
  type LimitAsk,
  type LimitLedger,
  type LimitVerdict,
  reserveFor,
  restoreReservations,
  settleReservations,
} from '@countersign/domain';
import { isGrantDemand, withoutGrants } from '../grants.js';
import type { Judged } from '../judged.js';
import { canWait, exceededRuling } from '../limit-ruling.js';
import type { Question } from '../question.js';
import { afterWaiting } from '../waiting.js';
import { CallCounters } from './call-counters.js';

/** A limit that a call exceeded. Amounts in millionths. */
export interface TrippedLimit {
  limit_id: string;
  subject: string;
  per: string;
  call_id: string;
  at_ms: number;
  used_micro: number;
  requested_micro: number;
  max_micro: number;
}

type KnownVerdict = HeldVerdict & { settled: boolean };

/** The counters of limits in memory, with the same decisions that policy makes on rows. */
export class SimulatedLimits {
  readonly tripped: TrippedLimit[] = [];
  private readonly held = new Map<string, KnownVerdict>();
  /** Counter → total of reservations with unknown release. */
  private readonly unknown = new Map<string, number>();

  constructor(private readonly counters: CallCounters = new CallCounters()) {}

  /** Reserves the demands of a call, or denies or defers it. @returns the limit whose verdict depends on unknown outcomes, if any. */
  reserve(question: Question, judged: Judged): string | undefined {
    const { call_id, revision } = question;
    this.counters.asked({ call_id, revision, demands: judged.demands });
    this.counters.counting(call_id);
    return this.reserved(question, judged);
  }

  private reserved(question: Question, judged: Judged): string | undefined {
    const { call_id, revision, at_ms, resumed } = question;
    const ask: LimitAsk = { call_id, revision, at_ms, demands: judged.demands };
    const before = this.stillHeld(ask);
    const verdict = reserveFor(this.counters, ask, before);
    if (verdict.kind === 'reserved') {
      judged.reservations = verdict.reservations;
      this.keep(ask, verdict, before);
      return undefined;
    }
    if (isGrantDemand(verdict.demand)) {
      withoutGrants(judged);
      return judged.demands.length > 0 ? this.reserved(question, judged) : undefined;
    }
    if (!canWait(verdict)) this.keep(ask, verdict, before);
    this.note(ask, verdict);
    judged.judgement = afterWaiting(resumed, exceededRuling(verdict, judged.judgement, at_ms));
    return this.isUncertain(verdict) ? verdict.demand.limit_id : undefined;
  }

  /** Counts the reservations of a recorded ruling. */
  restore(call_id: string, revision: number, reservations: readonly LimitReservation[]): void {
    if (this.held.has(call_id)) return;
    this.counters.counting(call_id);
    restoreReservations(this.counters, reservations);
    this.held.set(call_id, { revision, verdict: { kind: 'reserved', reservations: [...reservations] }, settled: false });
  }

  /** Settles the reservations of calls whose ends are known by now. */
  settle(ledger: LimitLedger): void {
    for (const call_id of [...ledger.settling]) {
      const settlement = ledger.held.get(call_id)?.settlement;
      const known = this.held.get(call_id);
      if (known && !known.settled && known.verdict.kind === 'reserved' && settlement) {
        this.counters.counting(call_id);
        settleReservations(this.counters, known.verdict.reservations, settlement);
        known.settled = true;
      }
      ledger.settling.delete(call_id);
      ledger.held.delete(call_id);
    }
  }

  /** Marks the reservations of a call with an unknown outcome: they may or may not be released. */
  leaveOpen(call_id: string): void {
    const known = this.held.get(call_id);
    if (known?.verdict.kind !== 'reserved') return;
    for (const { counter, amount_micro, settle } of known.verdict.reservations)
      if (settle !== 'attempt') this.unknown.set(counter, (this.unknown.get(counter) ?? 0) + amount_micro);
  }

  private keep({ call_id, revision }: LimitAsk, verdict: LimitVerdict, before: HeldVerdict | undefined): void {
    if (verdict === before?.verdict || (before?.verdict.kind === 'reserved' && verdict.kind === 'exceeded')) return;
    this.held.set(call_id, { revision, verdict, settled: false });
  }

  private stillHeld({ call_id, revision }: LimitAsk): HeldVerdict | undefined {
    const known = this.held.get(call_id);
    return known?.settled && revision > known.revision ? undefined : known;
  }

  private note({ call_id, at_ms }: LimitAsk, { demand, used_micro }: Exceeded): void {
    const { limit_id, subject, per, amount_micro: requested_micro, max_micro } = demand;
    this.tripped.push({ limit_id, subject, per, call_id, at_ms, used_micro, requested_micro, max_micro });
  }

  private isUncertain({ demand, used_micro }: Exceeded): boolean {
    const open_micro = this.unknown.get(demand.counter) ?? 0;
    return open_micro > 0 && used_micro - open_micro + demand.amount_micro <= demand.max_micro;
  }
}
