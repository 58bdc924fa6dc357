import type { LimitExceeded, LimitReservation, LimitSet, LimitSettlement } from '@countersign/contracts';

/** One version of a guard limit. */
export type Limit = Omit<LimitSet, 'meta' | 'based_on'>;

/** The demand of a call on one counter. Amounts in millionths. */
export interface Demand {
  counter: string;
  limit_id: string;
  subject: string;
  per: string;
  amount_micro: number;
  max_micro: number;
  window_ms: number | null;
  settle: LimitSettlement;
  on_exceeded: LimitExceeded;
  defer_timeout_ms: number | null;
}

/** A revision of a call with its demands: all or none of them are reserved. */
export interface LimitAsk {
  call_id: string;
  revision: number;
  /** Append time of its request on the log. */
  at_ms: number;
  demands: readonly Demand[];
}

/** The limit that the call exceeds. */
export interface Exceeded {
  kind: 'exceeded';
  demand: Demand;
  used_micro: number;
  /** When the call may fit again; null: time alone never frees enough. */
  free_at_ms: number | null;
}

/** `reservations`: all reservations of the call, including those of earlier revisions. */
export type LimitVerdict = { kind: 'reserved'; reservations: LimitReservation[] } | Exceeded;

/** The earlier verdict on a call: the same revision gets the same verdict again. */
export interface HeldVerdict {
  revision: number;
  verdict: LimitVerdict;
}

/** How a call with reservations ended. released: it never ran. failed: it ran without an effect. */
export interface Settlement {
  kind: 'released' | 'failed' | 'ran';
  /** The cost that the tool reported; null: none. */
  cost: number | null;
}
