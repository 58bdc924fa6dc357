import type { LimitExceeded, LimitReservation, LimitSet, LimitSettlement } from '@countersign/contracts';

/** One version of a guard limit. */
export type Limit = Omit<LimitSet, 'meta' | 'based_on'>;

/** What a call needs of one counter. Amounts in millionths. */
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

/** A revision of a call that asks for its demands, all of them or none. */
export interface LimitAsk {
  call_id: string;
  revision: number;
  /** Append time of its request on the log. */
  at_ms: number;
  demands: readonly Demand[];
}

/** The limit that a call does not fit. */
export interface Exceeded {
  kind: 'exceeded';
  demand: Demand;
  used_micro: number;
  /** When it may fit again; null: not by time alone. */
  free_at_ms: number | null;
}

/** `reservations`: all that the call holds now, earlier revisions included. */
export type LimitVerdict = { kind: 'reserved'; reservations: LimitReservation[] } | Exceeded;

/** What was decided for a call before: the same revision is answered the same again. */
export interface HeldVerdict {
  revision: number;
  verdict: LimitVerdict;
}

/** How a call that holds reservations ended. released: it never ran; failed: it ran and nothing happened. */
export interface Settlement {
  kind: 'released' | 'failed' | 'ran';
  /** The cost that its tool reported; null: none. */
  cost: number | null;
}
