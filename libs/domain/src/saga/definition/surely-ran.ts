import type { Block, StepBlock } from './definition.js';

/** Steps that have run once this block has ended well: not those of a branch, of a map, of a join that drops losers, or under a condition. */
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
