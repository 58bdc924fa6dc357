import { CompiledContracts } from '@countersign/calls';
import type { JsonSchema } from '@countersign/contracts';
import {
  checkDefinition,
  type DefinitionFault,
  faultAt,
  type KnownTool,
  resolveTool,
  type SagaDefinition,
  type SagaExpression,
  sagaExpressionsOf,
  sagaPlacesWithin,
  sagaRootOf,
  sagaSizeFaults,
} from '@countersign/domain';
import { Expression } from '@countersign/mapping';
import { compileSagaCondition } from '@countersign/policy';
import { inTurns } from '@countersign/process';

type Step = SagaExpression['before'][number];

/** What a step or wait gives; undefined where one of several levels gives it, or a person without a schema. */
function outputSchema(step: Step, tools: readonly KnownTool[]): JsonSchema | undefined {
  if (step.kind === 'wait') return step.answer_schema;
  const { use, fallbacks = [], manual } = step;
  return fallbacks.length > 0 || manual !== undefined ? undefined : resolveTool(use, tools)?.output_schema;
}

function conditionFault(at: SagaExpression, definition: SagaDefinition, tools: readonly KnownTool[]): string | undefined {
  const steps = new Map(at.before.map((step) => [step.name, outputSchema(step, tools)]));
  const compiled = compileSagaCondition(at.text, { inputs_schema: definition.input_schema, steps, in_map: at.in_map });
  if (!('fault' in compiled)) return undefined;
  const { position, reason } = compiled.fault;
  return `line ${position.line}, column ${position.column}: ${reason}`;
}

function expressionFault({ text }: SagaExpression): string | undefined {
  try {
    new Expression(text);
    return undefined;
  } catch (fault) {
    return (fault as Error).message;
  }
}

/** Compiles one text a step. */
function* textFaults(definition: SagaDefinition, tools: readonly KnownTool[]): Generator<void, DefinitionFault[]> {
  const found: DefinitionFault[] = [];
  for (const at of sagaExpressionsOf(definition)) {
    yield;
    const fault = at.language === 'cel' ? conditionFault(at, definition, tools) : expressionFault(at);
    if (fault !== undefined) found.push(faultAt(at.step, at.pointer, fault));
  }
  return found;
}

/** Compiles the schema of one answer a step. */
function* answerFaults(definition: SagaDefinition): Generator<void, DefinitionFault[]> {
  const found: DefinitionFault[] = [];
  const contracts = new CompiledContracts();
  for (const { block, pointer } of sagaPlacesWithin(sagaRootOf(definition))) {
    if (block.kind !== 'wait' || block.answer_schema === undefined) continue;
    yield;
    const check = contracts.of({ digest: pointer, contract: { input_schema: block.answer_schema } });
    if (typeof check === 'string') found.push(faultAt(block.name, `${pointer}/answer_schema`, check));
  }
  return found;
}

/** Faults and warnings of a definition, all at once; it may be published where there are no faults. */
export interface CompiledDefinition {
  faults: DefinitionFault[];
  warnings: DefinitionFault[];
}

function* compiled(definition: SagaDefinition, tools: readonly KnownTool[]): Generator<void, CompiledDefinition> {
  const size = sagaSizeFaults(definition);
  if (size.length > 0) return { faults: size, warnings: [] };
  const found = checkDefinition(definition, tools);
  const wrong = found.filter(({ severity }) => severity === 'fault');
  const answers = (yield* answerFaults(definition)).filter(({ pointer }) => !wrong.some((fault) => fault.pointer === pointer));
  const faults = [...wrong, ...(yield* textFaults(definition, tools)), ...answers];
  const faulty = new Set(faults.map(({ pointer }) => pointer));
  const warnings = found.filter(({ severity, pointer }) => severity === 'warning' && !faulty.has(pointer));
  return { faults, warnings };
}

/** Checks a definition against the tools of a tenant, and compiles its conditions and expressions; other requests have their turns meanwhile. */
export const compileDefinition = (definition: SagaDefinition, tools: readonly KnownTool[]): Promise<CompiledDefinition> =>
  inTurns(compiled(definition, tools));
