import { isReadOnly } from '@countersign/contracts';
import type { StepBlock, ToolVersion } from '@countersign/domain';

/** What follows from the tool of a step: the plan that people approve and the recorded step have the same. */
export function callTraits({ compensation }: StepBlock, { name, contract }: Pick<ToolVersion, 'name' | 'contract'>) {
  const is_write = !isReadOnly(contract.effect_class);
  return {
    is_write,
    is_irreversible: is_write && contract.reversibility === 'irreversible',
    /** The tool that undoes the step; null: none. */
    undo_tool: compensation?.tool ?? (contract.has_compensate ? name : null),
  };
}
