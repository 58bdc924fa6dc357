import { memberPointer } from '@countersign/contracts';
import type { Binding, Block, OutputBlock, SagaDefinition, StepBlock, ToolUse } from './definition.js';
import { below, nameOf, type Place, rootOf } from './places.js';
import { placedUses } from './tools.js';

/** What a text of a definition may read besides the inputs of the saga. */
export interface Readable {
  /** Steps and waits that may have run before it. Whether they did is known only when it is evaluated. */
  before: readonly OutputBlock[];
  /** Whether `item` and `index` have a meaning. */
  in_map: boolean;
}

/** A condition (CEL) or an expression (JSONata) of a definition: the libraries of these languages compile it. */
export interface SagaExpression extends Readable {
  language: 'cel' | 'jsonata';
  text: string;
  step: string | null;
  /** JSON Pointer of the text. */
  pointer: string;
}

/** Steps and waits whose output one name means after this block: those of a map have one for each item. */
function outputsIn(block: Block): OutputBlock[] {
  if (block.kind === 'step') return [block];
  if (block.kind === 'wait') return block.wait === 'time' ? [] : [block];
  return block.kind === 'map' ? [] : below({ block, pointer: '' }).flatMap((inner) => outputsIn(inner.block));
}

function bound(binding: Binding, step: string | null, pointer: string, readable: Readable): SagaExpression[] {
  return 'expression' in binding
    ? [{ language: 'jsonata', text: binding.expression, step, pointer: `${pointer}/expression`, ...readable }]
    : [];
}

function ofUse(use: ToolUse, step: string, pointer: string, readable: Readable): SagaExpression[] {
  return Object.entries(use.inputs).flatMap(([name, binding]) => bound(binding, step, memberPointer(`${pointer}/inputs`, name), readable));
}

function ofStep(step: StepBlock, pointer: string, readable: Readable): SagaExpression[] {
  const uses = placedUses(step, pointer).flatMap(({ use, pointer: at, is_compensation }) =>
    ofUse(use, step.name, at, is_compensation ? { ...readable, before: [...readable.before, step] } : readable),
  );
  return step.when === undefined
    ? uses
    : [{ language: 'cel', text: step.when, step: step.name, pointer: `${pointer}/when`, ...readable }, ...uses];
}

/** The texts of a block itself, without those of the blocks below it. */
function ownTexts({ block, pointer }: Place, readable: Readable): SagaExpression[] {
  switch (block.kind) {
    case 'step':
      return ofStep(block, pointer, readable);
    case 'map':
      return bound(block.over, block.name, `${pointer}/over`, readable);
    case 'branch':
      return block.choices.map(({ when }, at) => ({
        ...{ language: 'cel' as const, text: when, step: nameOf(block) ?? null },
        ...{ pointer: `${pointer}/choices/${at}/when`, ...readable },
      }));
    default:
      return [];
  }
}

function textsOf(place: Place, readable: Readable): SagaExpression[] {
  const { block } = place;
  const inside: Readable = block.kind === 'map' ? { ...readable, in_map: true } : readable;
  let { before } = inside;
  const inner = below(place).flatMap((each) => {
    const found = textsOf(each, { ...inside, before });
    if (block.kind === 'sequence') before = [...before, ...outputsIn(each.block)];
    return found;
  });
  return [...ownTexts(place, readable), ...inner];
}

/** All conditions and expressions of a definition, each with what it may read. */
export function sagaExpressionsOf(definition: SagaDefinition): SagaExpression[] {
  return textsOf(rootOf(definition), { before: [], in_map: false });
}
