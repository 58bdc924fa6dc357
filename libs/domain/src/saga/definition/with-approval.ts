import { SAGA_APPROVAL } from '../../approval/saga-plan.js';
import type { SagaDefinition, StepBlock } from './definition.js';

/** Calls the approval of the whole saga. Its inputs are the plan, which is made when the step is due. */
const approval: StepBlock = {
  kind: 'step',
  name: SAGA_APPROVAL.step,
  use: { tool: SAGA_APPROVAL.tool, version: SAGA_APPROVAL.version, inputs: {} },
};

/** The definition with the approval of the whole saga as its first step. */
export const withApproval = (definition: SagaDefinition): SagaDefinition => ({
  ...definition,
  root: { kind: 'sequence', blocks: [approval, definition.root] },
});

/** The definition as it was published or sent, whether or not it runs with an approval of the whole saga. */
export function withoutApproval(definition: SagaDefinition): SagaDefinition {
  const { root } = definition;
  if (root.kind !== 'sequence') return definition;
  const [first, own] = root.blocks;
  return own && first?.kind === 'step' && first.name === SAGA_APPROVAL.step ? { ...definition, root: own } : definition;
}
