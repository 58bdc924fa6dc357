import type { Block, OutputBlock } from './definition.js';

/**
 * Steps and waits that have always run when this block has succeeded. Excludes those of a branch or map, of a join that drops losers, and
 * steps with a condition.
 */
export function surelyRan(block: Block): OutputBlock[] {
  switch (block.kind) {
    case 'step':
      return block.when === undefined ? [block] : [];
    case 'wait':
      return [block];
    case 'sequence':
      return block.blocks.flatMap(surelyRan);
    case 'parallel':
      return block.join.kind === 'all' ? block.branches.flatMap(surelyRan) : [];
    default:
      return [];
  }
}
