import { canonicalText } from '@countersign/contracts';
import {
  type Block,
  type BranchBlock,
  type MapBlock,
  type SagaDefinition,
  type SagaExpression,
  type SagaPlace,
  type StepBlock,
  sagaExpressionsOf,
  sagaPlacesBelow,
  sagaRootOf,
  withoutApproval,
} from '@countersign/domain';
import { Expression } from '@countersign/mapping';
import { compileSagaCondition, type SagaCondition } from '@countersign/policy';

interface NamedBlock {
  block: Block & { name: string };
  /** Maps around the block, outermost first: an instance of the block has one index for each. */
  maps: readonly MapBlock[];
}

function namedBlocks(place: SagaPlace, maps: readonly MapBlock[]): NamedBlock[] {
  const { block } = place;
  const own = 'name' in block ? [{ block, maps }] : [];
  const inner = block.kind === 'map' ? [...maps, block] : maps;
  return [...own, ...sagaPlacesBelow(place).flatMap((child) => namedBlocks(child, inner))];
}

const textKey = (step: string | null, text: string): string => `${step}\n${text}`;

/** A definition with its blocks by name, and its texts compiled when they are first used. Shared by all sagas of this definition. */
export class CompiledSaga {
  private readonly blocks: ReadonlyMap<string, NamedBlock>;
  private readonly conditions = new Map<string, SagaCondition>();
  private readonly expressions = new Map<string, Expression>();
  /** Texts by step and content. */
  private texts: ReadonlyMap<string, SagaExpression> | undefined;
  private text: string | undefined;

  constructor(readonly definition: SagaDefinition) {
    this.blocks = new Map(namedBlocks(sagaRootOf(definition), []).map((named) => [named.block.name, named]));
  }

  /** The definition as canonical JSON. */
  get json(): string {
    this.text ??= canonicalText(this.definition);
    return this.text;
  }

  step(name: string): StepBlock {
    return this.blockOf(name, 'step') as StepBlock;
  }

  branch(name: string): BranchBlock {
    return this.blockOf(name, 'branch') as BranchBlock;
  }

  map(name: string): MapBlock {
    return this.blockOf(name, 'map') as MapBlock;
  }

  /** The maps around a block, outermost first. */
  mapsAround(name: string): readonly MapBlock[] {
    return this.blocks.get(name)?.maps ?? [];
  }

  /** Names of the steps whose outputs a condition or expression of this block may read. */
  readable(name: string, text: string): readonly string[] {
    return this.textOf(name, text)?.before.map((step) => step.name) ?? [];
  }

  /** @throws Error if the text is not valid: it was valid when the definition was published. */
  condition(name: string, text: string): SagaCondition {
    const known = this.conditions.get(text);
    if (known) return known;
    const { before = [], in_map = false } = this.textOf(name, text) ?? {};
    const steps = new Map(before.map((step) => [step.name, undefined]));
    const compiled = compileSagaCondition(text, { inputs_schema: this.definition.input_schema, steps, in_map });
    if ('fault' in compiled) throw new Error(compiled.fault.reason);
    this.conditions.set(text, compiled.condition);
    return compiled.condition;
  }

  /** @throws MappingFault if the text is not valid. */
  expression(text: string): Expression {
    const known = this.expressions.get(text) ?? new Expression(text);
    this.expressions.set(text, known);
    return known;
  }

  private textOf(name: string, text: string): SagaExpression | undefined {
    this.texts ??= new Map(sagaExpressionsOf(withoutApproval(this.definition)).map((each) => [textKey(each.step, each.text), each]));
    return this.texts.get(textKey(name, text));
  }

  private blockOf(name: string, kind: Block['kind']): Block {
    const found = this.blocks.get(name)?.block;
    if (found?.kind !== kind) throw new Error(`saga definition ${this.definition.name}: there is no ${kind} ${name}`);
    return found;
  }
}
