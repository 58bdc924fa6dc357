import type { SanityPredicate } from '@countersign/tool-kit';
import type { Implausible } from '../runtime.js';
import { messageOf } from '../thrown-error.js';

/** The predicates of a tool's author that fail for an input and output. A predicate that throws fails. */
export function implausible(predicates: readonly SanityPredicate<never, never>[], input: unknown, output: unknown): Implausible[] {
  const found: Implausible[] = [];
  for (const { name, severity, holds } of predicates) {
    let held = false;
    let why = 'does not hold';
    try {
      held = holds(input as never, output as never) === true;
    } catch (cause) {
      why = `could not be checked: ${messageOf(cause).slice(0, 200)}`;
    }
    if (!held) found.push({ path: '', predicate: name, severity, message: `${name} ${why}` });
  }
  return found;
}
