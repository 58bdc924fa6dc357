import { schemaFaults } from '@countersign/contracts';
import type { SagaDefinition, StepBlock } from './definition.js';
import { type DefinitionFault, faultAt, type KnownTool, warningAt } from './faults.js';
import { inputFaults, listFaults, type Scope } from './junctions.js';
import { type Latencies, latencyOf } from './latency.js';
import { below, nameOf, type Place, rootOf, within } from './places.js';
import { followed, shapeFaults } from './shape-faults.js';
import { sizeFaults } from './size-faults.js';
import { surelyRan } from './surely-ran.js';
import { placedUses, resolveTool, traitsOf, unknownToolFaults, useFaults } from './tools.js';

type PlacedStep = Place & { block: StepBlock };
const stepsOf = (definition: SagaDefinition): PlacedStep[] =>
  within(rootOf(definition)).filter((place): place is PlacedStep => place.block.kind === 'step');

/** All steps of a definition. */
export const stepsOfDefinition = (definition: SagaDefinition): StepBlock[] => stepsOf(definition).map(({ block }) => block);

/** Declared p99 by step name; steps whose tools declare none are missing. */
export function latenciesOf(definition: SagaDefinition, tools: readonly KnownTool[]): Latencies {
  const steps = stepsOf(definition).map(({ block }) => block);
  return Object.fromEntries(
    steps.map((step) => [step.name, traitsOf(step, tools).latency_ms] as const).filter(([, latency_ms]) => latency_ms > 0),
  );
}

function deadlineFaults(definition: SagaDefinition, tools: readonly KnownTool[]): DefinitionFault[] {
  const { deadline_ms, root } = definition;
  if (deadline_ms === undefined) return [];
  const latencies = latenciesOf(definition, tools);
  const needs_ms = latencyOf(root, latencies);
  const unknown = stepsOf(definition).filter(({ block }) => !Object.hasOwn(latencies, block.name));
  const warnings = unknown.map(({ block, pointer }) =>
    warningAt(block.name, pointer, 'its tool declares no p99: the deadline is not checked for it'),
  );
  return needs_ms <= deadline_ms
    ? warnings
    : [...warnings, faultAt(null, '/deadline_ms', `the steps need ${needs_ms} ms at their p99, the deadline is ${deadline_ms} ms`)];
}

function effectFaults(step: StepBlock, pointer: string, is_followed: boolean, tools: readonly KnownTool[]): DefinitionFault[] {
  const { is_write, is_irreversible, can_undo } = traitsOf(step, tools);
  if (is_irreversible && is_followed && !step.asks)
    return [
      faultAt(
        step.name,
        pointer,
        `${step.name} is irreversible and not last: move it to the end, or require approval for it ("asks": true)`,
      ),
    ];
  if (is_write && !is_irreversible && !can_undo)
    return [warningAt(step.name, pointer, `${step.name} has an effect and no compensation: a person must undo it`)];
  return [];
}

const repairFaults = (step: StepBlock, pointer: string, tools: readonly KnownTool[]): DefinitionFault[] =>
  step.repair && traitsOf(step, tools).is_write
    ? [warningAt(step.name, `${pointer}/repair`, `${step.name} has an effect: only reads are repaired`)]
    : [];

function stepFaults(step: StepBlock, pointer: string, scope: Scope, tools: readonly KnownTool[]): DefinitionFault[] {
  const uses = placedUses(step, pointer).flatMap(({ use, pointer: at, is_compensation }) => {
    const found = useFaults(use, step.name, at, tools);
    const tool = resolveTool(use, tools);
    if (!tool) return found;
    const ran = is_compensation ? new Map([...scope.ran, [step.name, step]]) : scope.ran;
    return [...found, ...inputFaults(use.inputs, tool, { step: step.name, pointer: at }, { ...scope, ran }, tools)];
  });
  return [...uses, ...repairFaults(step, pointer, tools)];
}

/** Faults of all steps below a place, each checked with the steps that always run before it. */
function junctionFaults(place: Place, scope: Scope, tools: readonly KnownTool[]): DefinitionFault[] {
  const { block, pointer } = place;
  if (block.kind === 'step') return stepFaults(block, pointer, scope, tools);
  const own = block.kind === 'map' ? listFaults(block, pointer, scope, tools) : [];
  const inside: Scope = block.kind === 'map' ? { ...scope, in_map: true } : scope;
  let ran = scope.ran;
  const inner = below(place).flatMap((each) => {
    const found = junctionFaults(each, { ...inside, ran }, tools);
    if (block.kind === 'sequence') ran = new Map([...ran, ...surelyRan(each.block).map((step) => [step.name, step] as const)]);
    return found;
  });
  return [...own, ...inner];
}

const answerSchemaFaults = (definition: SagaDefinition): DefinitionFault[] =>
  within(rootOf(definition)).flatMap(({ block, pointer }) => {
    if (block.kind !== 'wait' || block.answer_schema === undefined) return [];
    const place = `${pointer}/answer_schema`;
    if (block.wait === 'time') return [faultAt(block.name, place, 'a wait for a moment has no answer')];
    return schemaFaults(block.answer_schema).map((message) => faultAt(block.name, place, message));
  });

const inputSchemaFaults = ({ input_schema }: SagaDefinition): DefinitionFault[] =>
  input_schema === undefined ? [] : schemaFaults(input_schema).map((message) => faultAt(null, '/input_schema', message));

/** Each fault once: a step may be in several joins that drop it. */
const once = (found: readonly DefinitionFault[]): DefinitionFault[] => [
  ...new Map(found.map((fault) => [`${fault.pointer} ${fault.message}`, fault])).values(),
];

/** All faults and warnings of a definition. It may be published if none of them is a `fault`. */
export function checkDefinition(definition: SagaDefinition, tools: readonly KnownTool[]): DefinitionFault[] {
  const size = sizeFaults(definition);
  if (size.length > 0) return size;
  const schema = inputSchemaFaults(definition);
  const root = rootOf(definition);
  const later = followed(root);
  const names = new Set(within(root).flatMap(({ block }) => nameOf(block) ?? []));
  // Nothing is compared with a schema that is faulty itself.
  const input_schema = schema.length > 0 ? undefined : definition.input_schema;
  const scope: Scope = { input_schema, ran: new Map(), names, in_map: false };
  const effects = stepsOf(definition).flatMap(({ block, pointer }) => effectFaults(block, pointer, later.has(block), tools));
  const shape = [...shapeFaults(definition, tools), ...unknownToolFaults(stepsOf(definition), tools)];
  return once([
    ...schema,
    ...answerSchemaFaults(definition),
    ...shape,
    ...junctionFaults(root, scope, tools),
    ...effects,
    ...deadlineFaults(definition, tools),
  ]);
}
