import type { Tier } from '@countersign/contracts';
import type { RulingInput } from '../ruling-input.js';

/** What a condition asks for: a tier, and why, in words for the agent. A laxer tier than the call has is ignored. */
export interface Tightening {
  tier: Tier;
  why: string;
}

/** A named function that only ever tightens. Pure and total: undefined where it has nothing to say; it never throws. */
export interface Condition {
  /** Id of the rule that the ruling names where this condition won. */
  rule: string;
  /** It also binds an undo that its tool or a published definition sets. */
  binds_undo?: true;
  judge(input: RulingInput): Tightening | undefined;
}
