import type { Block, SagaDefinition } from './definition.js';

/** A block with its JSON Pointer in the definition. */
export interface Place {
  block: Block;
  pointer: string;
}

/** The direct children of a block, in the order in which they would run. */
export function below({ block, pointer }: Place): Place[] {
  switch (block.kind) {
    case 'sequence':
      return block.blocks.map((inner, at) => ({ block: inner, pointer: `${pointer}/blocks/${at}` }));
    case 'parallel':
      return block.branches.map((inner, at) => ({ block: inner, pointer: `${pointer}/branches/${at}` }));
    case 'map':
      return [{ block: block.body, pointer: `${pointer}/body` }];
    case 'branch': {
      const choices = block.choices.map((choice, at) => ({ block: choice.block, pointer: `${pointer}/choices/${at}/block` }));
      return block.otherwise ? [...choices, { block: block.otherwise, pointer: `${pointer}/otherwise` }] : choices;
    }
    default:
      return [];
  }
}

export const rootOf = (definition: SagaDefinition): Place => ({ block: definition.root, pointer: '/root' });

/** A place and all places below it, outermost first. */
export function within(place: Place): Place[] {
  return [place, ...below(place).flatMap(within)];
}

/** The block with this name; undefined if there is none. */
export const blockNamed = (definition: SagaDefinition, name: string): Block | undefined =>
  within(rootOf(definition)).find(({ block }) => nameOf(block) === name)?.block;

/** The name used in step ids; undefined for blocks without own records. */
export const nameOf = (block: Block): string | undefined => ('name' in block ? block.name : undefined);
