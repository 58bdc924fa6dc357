import type { CallState } from './state.js';

/**
 * The patterns of injection in what a call was answered with, in alphabetical order: in its error while it was in doubt too, and in the
 * answer of an earlier call that it was given.
 */
export function resultFlags({ doubt, end }: Pick<CallState, 'doubt' | 'end'>): readonly string[] {
  const found = [doubt, end].flatMap((fact) => fact?.outcome.extras?.flags ?? []);
  return found.length < 2 ? found : [...new Set(found)].sort();
}
