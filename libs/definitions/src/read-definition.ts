import type { DefinitionFault, SagaDefinition } from '@countersign/domain';
import { definitionIssues } from './definition-issues.js';
import { sagaDefinition } from './saga-definition.js';

/** The definition of a value, or each fault with its step and its JSON Pointer. */
export function readDefinition(value: unknown): { definition: SagaDefinition } | { faults: DefinitionFault[] } {
  const parsed = sagaDefinition.safeParse(value);
  if (!parsed.success) return { faults: definitionIssues(parsed.error.issues, value) };
  return { definition: parsed.data as SagaDefinition };
}
