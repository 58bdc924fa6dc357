import type { DeduplicatedBecause, EffectNow, Outcome, Tier } from '@countersign/contracts';
import type { StricterRuling } from '@countersign/decisions';
import type { Refusal } from '@countersign/domain';

/** A schema violation; `path` is a JSON Pointer relative to the value. */
export interface Issue {
  path: string;
  message: string;
}

/** The answer of an earlier call. */
export interface EarlierAnswer {
  call_id: string;
  /** The attempt whose effect answers. */
  attempt: number;
  outcome: Outcome;
  because: DeduplicatedBecause;
  /** Null: not checked. */
  effect_now: EffectNow | null;
}

/** Why a call will not run. */
export interface RefusedBecause {
  why: Refusal;
  issues: Issue[];
}

/** How a call ends in this process. */
export type Verdict =
  | { kind: 'ended'; outcome: Outcome }
  | { kind: 'answered'; earlier: EarlierAnswer }
  /** The policy service decides again: the rules are stricter now. */
  | { kind: 'stricter'; ruling: StricterRuling }
  /** The policy service decides again: the effect behind the answer no longer exists. */
  | { kind: 'answer_gone'; tier: Tier };
