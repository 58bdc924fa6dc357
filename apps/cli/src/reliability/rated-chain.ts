import type { RatesFile } from '@countersign/definitions';
import {
  type ChainRates,
  type DefinitionFault,
  faultAt,
  type LevelRates,
  placedUses,
  type SagaDefinition,
  type SagaPlace,
  sagaPlacesWithin,
  sagaRootOf,
  wilsonInterval,
} from '@countersign/domain';
import type { RateReader, ToolRates } from './tool-rates.js';

/** One level of a step with its rates. */
export interface RatedLevel extends ToolRates {
  step: string;
  /** JSON Pointer of the use of the tool in the definition. */
  pointer: string;
  /** From 1. */
  level: number;
  tool: string;
  /** The 95 % interval of `reliability`; null if the number of runs is unknown. */
  interval: { low: number; high: number } | null;
}

/** Which end of the interval of each rate is taken. */
export type End = 'low' | 'point' | 'high';

const placesOf = (definition: SagaDefinition): readonly SagaPlace[] => sagaPlacesWithin(sagaRootOf(definition));

/** The levels of all steps in the order of the definition. */
export async function ratedLevels(definition: SagaDefinition, reader: RateReader): Promise<RatedLevel[]> {
  const rated: RatedLevel[] = [];
  for (const { block, pointer } of placesOf(definition)) {
    if (block.kind !== 'step') continue;
    const uses = placedUses(block, pointer).filter(({ is_compensation }) => !is_compensation);
    for (const [at, { use, pointer: place }] of uses.entries()) {
      const rates = await reader.rateOf(use);
      const interval = rates.runs === null ? null : wilsonInterval(rates.reliability * rates.runs, rates.runs);
      rated.push({ ...rates, step: block.name, pointer: place, level: at + 1, tool: use.tool, interval });
    }
  }
  return rated;
}

function levelRates({ reliability, in_doubt, interval, latency }: RatedLevel, end: End): LevelRates {
  const share = interval && end !== 'point' ? interval[end] : reliability;
  return { failed: 1 - share, in_doubt: Math.min(in_doubt, share), latency };
}

/** What a prediction needs, from the rated levels and the assumptions of a file. */
export function chainRates(levels: readonly RatedLevel[], { choices, items, answered }: RatesFile, end: End = 'point'): ChainRates {
  const by_step = new Map<string, LevelRates[]>();
  for (const level of levels) by_step.set(level.step, [...(by_step.get(level.step) ?? []), levelRates(level, end)]);
  const maps = { choices: new Map(Object.entries(choices)), items: new Map(Object.entries(items)) };
  return { levels: by_step, ...maps, answered: new Map(Object.entries(answered)) };
}

/** Names of a rates file that the definition does not have. */
export function unknownNames(definition: SagaDefinition, { choices, items, answered }: RatesFile): DefinitionFault[] {
  const places = placesOf(definition);
  const missing = (section: string, names: object, kind: string) =>
    Object.keys(names)
      .filter((name) => !places.some(({ block }) => block.kind === kind && 'name' in block && block.name === name))
      .map((name) => faultAt(null, `/${section}/${name}`, `the definition has no ${kind} of this name`));
  return [...missing('choices', choices, 'branch'), ...missing('items', items, 'map'), ...missing('answered', answered, 'wait')];
}

/** What is assumed about a definition because the rates file does not say it. */
export function assumptionsOf(definition: SagaDefinition, { choices, items, answered }: RatesFile): DefinitionFault[] {
  return placesOf(definition).flatMap(({ block, pointer }) => {
    const assumed = (message: string): DefinitionFault[] =>
      'name' in block ? [{ severity: 'warning', step: block.name, pointer, message }] : [];
    if (block.kind === 'step' && block.when !== undefined) return assumed('its condition is counted as true');
    if (block.kind === 'branch' && !Object.hasOwn(choices, block.name))
      return assumed(`its choices are counted as equally likely: set choices.${block.name}`);
    if (block.kind === 'map' && !Object.hasOwn(items, block.name) && !('literal' in block.over))
      return assumed(`its list is counted as one item: set items.${block.name}`);
    if (block.kind === 'wait' && block.wait !== 'time' && !Object.hasOwn(answered, block.name))
      return assumed(`it is counted as always answered: set answered.${block.name}`);
    return [];
  });
}
