import { canonicalText } from '@countersign/contracts';
import type { Binding } from '@countersign/domain';
import { define } from '@countersign/mapping/pointer';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { DerivedValue, SagaScope } from '../evaluation/saga-scope.js';

/** Evaluated inputs of a tool, and the calls that they were made of. */
export type DerivedInputs = DerivedValue & { value: Record<string, unknown> };

/** As much as the gateway reads of the request of a call. */
export const INPUTS_BYTES_MAX = 1_048_576;

/** The inputs of a call as canonical JSON, or why they cannot be recorded: JSON without a canonical form, or too large for a record. */
export function inputsText(step_id: string, inputs: Readonly<Record<string, unknown>>): string | EvaluationFault {
  const text = canonicalOr(inputs);
  if (text === undefined)
    return new EvaluationFault(`the inputs of ${step_id} are no valid JSON: a text in them is not well-formed Unicode`);
  const bytes = Buffer.byteLength(text);
  if (bytes <= INPUTS_BYTES_MAX) return text;
  return new EvaluationFault(
    `the inputs of ${step_id} have ${bytes} bytes of JSON, at most ${INPUTS_BYTES_MAX} are allowed: pass large data by reference`,
  );
}

/** Half of a surrogate pair has no canonical form, nor has a value that is nested too deeply. */
function canonicalOr(value: unknown): string | undefined {
  try {
    return canonicalText(value);
  } catch {
    return undefined;
  }
}

/** Evaluates the bindings of a tool's inputs. The first one that fails is reported with its name. */
export async function evaluatedInputs(
  bindings: Readonly<Record<string, Binding>>,
  scope: SagaScope,
): Promise<DerivedInputs | EvaluationFault> {
  const value: Record<string, unknown> = {};
  const call_ids = new Set<string>();
  const markings = new Set<string>();
  for (const [name, binding] of Object.entries(bindings)) {
    const found = await scope.valueOf(binding);
    if (found instanceof EvaluationFault) return new EvaluationFault(`input ${name}: ${found.message}`);
    define(value, name, found.value);
    for (const id of found.call_ids) call_ids.add(id);
    for (const marking of found.markings) markings.add(marking);
  }
  return { value, call_ids: [...call_ids], markings: [...markings] };
}
