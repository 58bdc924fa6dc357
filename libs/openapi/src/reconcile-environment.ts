import type { JsonSchema, ToolContract } from '@countersign/contracts';
import type { ToolBinding } from './binding.js';

/** What the match of a reconcile may read, for its type check. */
export function reconcileEnvironment(contract: ToolContract, binding: Pick<ToolBinding, 'idempotency_header'>) {
  const { input_schema, idempotency } = contract;
  const inputs = Object.keys((input_schema.properties ?? {}) as object);
  const { discriminating, except = [] } = idempotency;
  return {
    inputs_schema: input_schema,
    // Candidates are items of a list, or a body: the document's schema of them may be wrong.
    output_schema: {} as JsonSchema,
    discriminating: discriminating ?? inputs.filter((input) => !except.includes(input)),
    carries_key: binding.idempotency_header !== undefined,
  };
}
