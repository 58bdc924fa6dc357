import type { PersonalDataSet, RetentionApplied, RetentionSet, SubjectErased } from '@countersign/contracts';

/** What of a tenant's calls is personal, and whose it is. */
export type PersonalRule = Omit<PersonalDataSet, 'meta' | 'based_on'>;

/** An erasure on the record. */
export type Erasure = Omit<SubjectErased, 'meta'> & { event_id: string; offset: number };

export interface PersonalData {
  /** Those in force, in the order in which they were set. */
  active: readonly PersonalRule[];
  /** rule_id → its newest version; removed ones too. */
  newest: Map<string, PersonalRule>;
  /** Subject → its newest erasure. */
  erasures: Map<string, Erasure>;
  erased_keys: Set<string>;
}

export type RetentionTerms = Omit<RetentionSet, 'meta' | 'based_on'>;

export type RetentionCutoff = RetentionApplied['cutoffs'][number];

export interface Retention {
  terms: RetentionTerms | undefined;
  /** Markings (sorted, with commas between) → keys of months before this one are destroyed. */
  applied: Map<string, string>;
}
