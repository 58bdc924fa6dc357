import type { PersonalDataSet, RetentionApplied, RetentionSet, SubjectErased } from '@countersign/contracts';

/** A tenant's rules for personal data, and its erasures of subjects. */
export type PersonalRule = Omit<PersonalDataSet, 'meta' | 'based_on'>;

/** A recorded erasure. */
export type Erasure = Omit<SubjectErased, 'meta'> & { event_id: string; offset: number };

export interface PersonalData {
  /** Rules in force, in the order in which they were set. */
  active: readonly PersonalRule[];
  /** rule_id → its newest version, including removed rules. */
  newest: Map<string, PersonalRule>;
  /** Subject → its newest erasure. */
  erasures: Map<string, Erasure>;
  erased_keys: Set<string>;
}

export type RetentionTerms = Omit<RetentionSet, 'meta' | 'based_on'>;

export type RetentionCutoff = RetentionApplied['cutoffs'][number];

export interface Retention {
  terms: RetentionTerms | undefined;
  /** Markings (sorted, comma-separated) → the month before which keys are destroyed. */
  applied: Map<string, string>;
}
