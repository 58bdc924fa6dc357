import type { TrustSubject } from '../cel/trust-uses.js';
import type { CompiledBundle } from './compile-bundle.js';
import type { Selectable } from './selector.js';

/** The subjects whose trust the rules about a tool use. */
export function trustRequested(bundle: CompiledBundle, tool: Selectable): ReadonlySet<TrustSubject> {
  const subjectsUsed = bundle.rules
    .about(tool)
    .flatMap(({ condition, until_condition }) => [condition?.uses.trust, until_condition?.uses.trust]);
  return new Set(subjectsUsed.flatMap((subjects) => [...(subjects ?? [])]));
}
