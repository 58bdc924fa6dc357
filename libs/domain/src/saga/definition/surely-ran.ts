import type { Block, StepBlock } from './definition.js';

/**
 * Steps that have always run when this block has succeeded. Excludes steps of a branch or map, of a join that drops losers, and with a
 * condition.
 */
export function surelyRan(block: Block): StepBlock[] {
  switch (block.kind) {
    case 'step':
      return block.when === undefined ? [block] : [];
    case 'sequence':
      return block.blocks.flatMap(surelyRan);
    case 'parallel':
      return block.join.kind === 'all' ? block.branches.flatMap(surelyRan) : [];
    default:
      return [];
  }
}
