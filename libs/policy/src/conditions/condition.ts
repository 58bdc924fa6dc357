import type { Tier } from '@countersign/contracts';
import type { RulingInput } from '../ruling-input.js';

/** The tier that a condition requires, with the reason as text for the agent. Ignored if it is laxer than the call's tier. */
export interface Tightening {
  tier: Tier;
  why: string;
}

/** A named function that only tightens. Pure; returns undefined if it does not apply; never throws. */
export interface Condition {
  /** Id of the rule in the ruling if this condition decides. */
  rule: string;
  /** Also applies to an undo by the tool or a published definition. */
  binds_undo?: true;
  judge(input: RulingInput): Tightening | undefined;
}
