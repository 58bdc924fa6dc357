import type { components } from '@countersign/client/generated/api';

/** The record of a version of a tool. */
export type ToolVersion = components['schemas']['ToolVersion'];
/** A tool with all of its versions. */
export type Tool = components['schemas']['Tool'];

/** How a tool acts, in words that people read. */
export const EFFECTS: Readonly<Record<string, string>> = {
  pure: 'Computes only',
  read_internal: 'Reads here',
  read_external: 'Reads outside',
  stage: 'Prepares',
  commit_low: 'Changes, low risk',
  commit_high: 'Changes, high risk',
};

/** Whether a call of it changes something. */
export const isWrite = (effect_class: string | undefined): boolean => ['stage', 'commit_low', 'commit_high'].includes(effect_class ?? '');

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

/** A word of a table for a wire value; one that this console does not know is shown as it is. */
export const wordFor = (words: Readonly<Record<string, string>>, value: string): string =>
  Object.hasOwn(words, value) ? (words[value] as string) : value.replaceAll('_', ' ');
