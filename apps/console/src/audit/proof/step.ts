/** `open`: not shown by this evidence, which is no failure; `skipped`: a step before it failed. */
export type StepState = 'proven' | 'open' | 'failed' | 'skipped';

/** One step of a verification: what was computed, and what it shows. */
export interface Step {
  id: string;
  title: string;
  state: StepState;
  /** What it shows, or why it failed. */
  says: string;
  /** Values that were computed or compared: hashes, keys, positions. */
  values?: readonly (readonly [name: string, value: string])[];
}

/** What was verified, and what follows from it. */
export interface Verification {
  /** `unpinned`: everything fits together, under a key that only the server or the file names. */
  outcome: 'proven' | 'unpinned' | 'refused';
  /** One sentence. */
  summary: string;
  steps: readonly Step[];
  proven: readonly string[];
  not_proven: readonly string[];
}

export const proven = (id: string, title: string, says: string, values?: Step['values']): Step => ({
  id,
  title,
  state: 'proven',
  says,
  ...(values && { values }),
});
export const failed = (id: string, title: string, says: string, values?: Step['values']): Step => ({
  ...proven(id, title, says, values),
  state: 'failed',
});
export const open = (id: string, title: string, says: string, values?: Step['values']): Step => ({
  ...proven(id, title, says, values),
  state: 'open',
});
export const skipped = (id: string, title: string): Step => ({
  id,
  title,
  state: 'skipped',
  says: 'Not reached: a step before it failed.',
});

/** A reason of the verifier as a sentence. A position that it begins with stays as it is. */
export function sentence(text: string): string {
  const [word = ''] = text.split(' ', 1);
  const begun = word.includes('/') ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return `${begun}${text.endsWith('.') ? '' : '.'}`;
}
