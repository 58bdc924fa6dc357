import type { SagaDefinition, StepBlock } from './definition.js';
import { type DefinitionFault, faultAt, type KnownTool, warningAt } from './faults.js';
import { inputFaults, type Scope } from './junctions.js';
import { type Latencies, latencyOf } from './latency.js';
import { below, nameOf, type Place, rootOf, within } from './places.js';
import { followed, shapeFaults } from './shape-faults.js';
import { surelyRan } from './surely-ran.js';
import { placedUses, resolveTool, traitsOf, useFaults } from './tools.js';

const stepsOf = (definition: SagaDefinition): Place[] => within(rootOf(definition)).filter(({ block }) => block.kind === 'step');

/** Declared p99 by step name; steps whose tools declare none are missing. */
export function latenciesOf(definition: SagaDefinition, tools: readonly KnownTool[]): Latencies {
  const steps = stepsOf(definition).map(({ block }) => block as StepBlock);
  return Object.fromEntries(
    steps.map((step) => [step.name, traitsOf(step, tools).latency_ms] as const).filter(([, latency_ms]) => latency_ms > 0),
  );
}

function deadlineFaults(definition: SagaDefinition, tools: readonly KnownTool[]): DefinitionFault[] {
  const { deadline_ms, root } = definition;
  if (deadline_ms === undefined) return [];
  const latencies = latenciesOf(definition, tools);
  const needs_ms = latencyOf(root, latencies);
  const unknown = stepsOf(definition).filter(({ block }) => !Object.hasOwn(latencies, (block as StepBlock).name));
  const warnings = unknown.map(({ block, pointer }) =>
    warningAt(nameOf(block) ?? null, pointer, 'its tool declares no p99: the deadline is not checked for it'),
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

function stepFaults(step: StepBlock, pointer: string, scope: Scope, tools: readonly KnownTool[]): DefinitionFault[] {
  return placedUses(step, pointer).flatMap(({ use, pointer: at, is_compensation }) => {
    const found = useFaults(use, step.name, at, tools);
    const tool = resolveTool(use, tools);
    if (!tool) return found;
    const ran = is_compensation ? new Map([...scope.ran, [step.name, step]]) : scope.ran;
    return [...found, ...inputFaults(use.inputs, tool, { step: step.name, pointer: at }, { ...scope, ran }, tools)];
  });
}

/** Faults of all steps below a place, each checked with the steps that always run before it. */
function junctionFaults(place: Place, scope: Scope, tools: readonly KnownTool[]): DefinitionFault[] {
  const { block, pointer } = place;
  if (block.kind === 'step') return stepFaults(block, pointer, scope, tools);
  let ran = scope.ran;
  return below(place).flatMap((inner) => {
    const found = junctionFaults(inner, { ...scope, ran, in_map: scope.in_map || block.kind === 'map' }, tools);
    if (block.kind === 'sequence') ran = new Map([...ran, ...surelyRan(inner.block).map((step) => [step.name, step] as const)]);
    return found;
  });
}

/** All faults and warnings of a definition. It may be published if none of them is a `fault`. */
export function checkDefinition(definition: SagaDefinition, tools: readonly KnownTool[]): DefinitionFault[] {
  const root = rootOf(definition);
  const later = followed(root);
  const names = new Set(within(root).flatMap(({ block }) => nameOf(block) ?? []));
  const scope: Scope = { input_schema: definition.input_schema, ran: new Map(), names, in_map: false };
  const effects = stepsOf(definition).flatMap(({ block, pointer }) => effectFaults(block as StepBlock, pointer, later.has(block), tools));
  return [...shapeFaults(definition, tools), ...junctionFaults(root, scope, tools), ...effects, ...deadlineFaults(definition, tools)];
}
