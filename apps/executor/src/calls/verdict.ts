import type { DeduplicatedBecause, EffectNow, Outcome, Tier } from '@countersign/contracts';
import type { StricterRuling } from '@countersign/decisions';
import type { Refusal } from '@countersign/domain';

/** A fault of a value against a schema; `path` is a JSON Pointer relative to the value. */
export interface Issue {
  path: string;
  message: string;
}

/** The answer of an earlier call. */
export interface EarlierAnswer {
  call_id: string;
  /** The attempt at the effect that answers. */
  attempt: number;
  outcome: Outcome;
  because: DeduplicatedBecause;
  /** Null: not looked at. */
  effect_now: EffectNow | null;
}

/** Why a call will not fire. */
export interface RefusedBecause {
  why: Refusal;
  issues: Issue[];
}

/** How a call ends here. */
export type Verdict =
  | { kind: 'ended'; outcome: Outcome }
  | { kind: 'answered'; earlier: EarlierAnswer }
  /** Policy rules again: it is stricter now. */
  | { kind: 'stricter'; ruling: StricterRuling }
  /** Policy rules again: the answer that it was to get does not stand any more. */
  | { kind: 'answer_gone'; tier: Tier };
