import type { components } from '@countersign/client';

export type UsageLine = components['schemas']['UsageLine'];

/** A report: the sum, and a line for each day or name. */
export interface UsageLines {
  total: UsageLine;
  items: readonly UsageLine[];
  /** There are more names than were read. */
  is_cut: boolean;
}

/** Filters of a report. */
export interface UsageFilter {
  tool?: string;
  agent?: string;
}

export type NameGroup = 'tool' | 'agent';
