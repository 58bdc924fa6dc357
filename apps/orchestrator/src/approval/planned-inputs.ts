import { canonicalText } from '@countersign/contracts';
import type { Binding, OpenInput } from '@countersign/domain';
import { define } from '@countersign/mapping/pointer';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { SagaScope } from '../evaluation/saga-scope.js';

const WHY_CHARS_MAX = 400;

export interface PlannedInputs {
  inputs: Record<string, unknown>;
  open_inputs: OpenInput[];
}

/** The step whose output a pointer reads, if any. */
function stepOfPointer(pointer: string): string | undefined {
  const [, root, name] = pointer.split('/');
  return root === 'steps' ? (name ?? '') : undefined;
}

/**
 * Why the value of a binding is not known before the saga runs; undefined if it is. An expression that mentions `steps` may read one. One
 * that reads them in another way gives a value that the step will not have: it is then not covered.
 */
function openBecause(binding: Binding): string | undefined {
  if ('literal' in binding) return undefined;
  if ('expression' in binding) return /\bsteps\b/.test(binding.expression) ? 'from earlier steps' : undefined;
  const step = stepOfPointer(binding.from);
  return step === undefined ? undefined : `from step ${step}`;
}

/** JSON without a canonical form, such as half of a surrogate pair, has no digest. */
function hasDigest(value: unknown): boolean {
  try {
    canonicalText([value]);
    return true;
  } catch {
    return false;
  }
}

/** A part of a text. A character that the cut halves is replaced: a plan with half of one has no digest. */
const shown = (text: string): string => Buffer.from(text.slice(0, WHY_CHARS_MAX)).toString();

/** The inputs of a tool that follow from the inputs of the saga alone, and those that do not. */
export async function plannedInputs(bindings: Readonly<Record<string, Binding>>, scope: SagaScope): Promise<PlannedInputs> {
  const inputs: Record<string, unknown> = {};
  const open_inputs: OpenInput[] = [];
  for (const [input, binding] of Object.entries(bindings)) {
    const why = openBecause(binding);
    const found = why === undefined ? await scope.valueOf(binding) : undefined;
    if (!found || found instanceof EvaluationFault || !hasDigest(found.value)) {
      const fault = found instanceof EvaluationFault ? found.message : 'it is no valid text';
      open_inputs.push({ input, why: shown(why ?? fault) });
      continue;
    }
    define(inputs, input, found.value);
  }
  return { inputs, open_inputs };
}
