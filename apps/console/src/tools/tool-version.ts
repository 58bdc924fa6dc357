import type { components } from '@countersign/client/generated/api';

/** The record of a version of a tool. */
export type ToolVersion = components['schemas']['ToolVersion'];
/** A tool with all of its versions. */
export type Tool = components['schemas']['Tool'];

export const LIFECYCLES: Readonly<Record<string, readonly [word: string, tone: 'good' | 'warn' | 'bad' | 'busy' | 'neutral']>> = {
  active: ['Active', 'good'],
  deprecated: ['Deprecated', 'warn'],
  blocked: ['Blocked', 'bad'],
  candidate: ['Candidate', 'busy'],
  suspended: ['Suspended', 'bad'],
};

export const REVERSIBILITY: Readonly<Record<string, string>> = {
  reversible: 'Can be undone',
  semantic: 'Can be undone in effect, not exactly',
  side_effects: 'Can be undone, with side effects',
  irreversible: 'Cannot be undone',
};

export const TIERS: Readonly<Record<string, string>> = {
  tier_0_safe: 'Runs without a question',
  tier_1_auto: 'Runs, and is recorded as a proposal',
  tier_2_approval_required: 'Needs an approval',
  tier_3_blocked: 'Is denied',
};
