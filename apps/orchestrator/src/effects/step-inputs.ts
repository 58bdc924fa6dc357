import type { Binding } from '@countersign/domain';
import { define } from '@countersign/mapping/pointer';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { DerivedValue, SagaScope } from '../evaluation/saga-scope.js';

/** Evaluated inputs of a tool, and the calls that they were made of. */
export type DerivedInputs = DerivedValue & { value: Record<string, unknown> };

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
