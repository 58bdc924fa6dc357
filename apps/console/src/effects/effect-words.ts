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
