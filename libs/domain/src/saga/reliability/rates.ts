import { type Block, type SagaDefinition, type StepBlock, usesOf } from '../definition/definition.js';
import { type DefinitionFault, faultAt } from '../definition/faults.js';
import { type Place, rootOf, within } from '../definition/places.js';

/** How long the calls of one level take, milliseconds. */
export interface LatencyRange {
  p50_ms: number;
  p99_ms: number;
}

/** How the calls of one level of a step end, as shares from 0 to 1. The rest succeeds. */
export interface LevelRates {
  /** Failures without an effect: they start the next level. */
  failed: number;
  /** The outcome stays unknown: no further level starts. */
  in_doubt: number;
  /** Null: unknown, counted as 0. */
  latency: LatencyRange | null;
}

/** What a prediction assumes about a definition. Names are those of the blocks. */
export interface ChainRates {
  /** By step: one entry for each level except the manual one. */
  levels: ReadonlyMap<string, readonly LevelRates[]>;
  /** By branch: the share of each choice in order. What is missing to 1 goes to `otherwise`, or to nothing. Absent: equal shares. */
  choices: ReadonlyMap<string, readonly number[]>;
  /** By map: the length of its list. Absent: the length of a literal list, else 1. */
  items: ReadonlyMap<string, number>;
  /** By wait for a person or an event: the share that is answered and continues. Absent: 1. */
  answered: ReadonlyMap<string, number>;
}

/** A longer list takes time that grows with the square of its length. */
export const PREDICTED_ITEMS_MAX = 1_000;

const isShare = (value: number): boolean => value >= 0 && value <= 1;
const isDuration = (value: number): boolean => Number.isFinite(value) && value >= 0;

/** The share of each choice and, last, of `otherwise` or nothing. */
export function choiceShares(block: Block & { kind: 'branch' }, { choices }: ChainRates): readonly number[] {
  const given = choices.get(block.name);
  const count = block.choices.length + (block.otherwise ? 1 : 0);
  if (!given) return [...block.choices.map(() => 1 / count), block.otherwise ? 1 / count : 0];
  return [...given, Math.max(0, 1 - given.reduce((sum, share) => sum + share, 0))];
}

export function itemsOf({ name, over }: Block & { kind: 'map' }, { items }: ChainRates): number {
  const literal = 'literal' in over && Array.isArray(over.literal) ? over.literal.length : 1;
  return items.get(name) ?? literal;
}

function levelFaults(level: LevelRates | undefined, step: StepBlock, pointer: string): DefinitionFault[] {
  if (!level) return [faultAt(step.name, pointer, 'there are no rates for this level')];
  const { failed, in_doubt, latency } = level;
  if (!isShare(failed) || !isShare(in_doubt) || failed + in_doubt > 1 + 1e-9)
    return [faultAt(step.name, pointer, `failed ${failed} and in doubt ${in_doubt}: shares are from 0 to 1, and at most 1 together`)];
  if (latency && !(isDuration(latency.p50_ms) && isDuration(latency.p99_ms) && latency.p50_ms <= latency.p99_ms))
    return [faultAt(step.name, pointer, `p50 ${latency.p50_ms} ms and p99 ${latency.p99_ms} ms: 0 or more, and p50 is at most p99`)];
  return [];
}

function choiceFaults(block: Block & { kind: 'branch' }, pointer: string, { choices }: ChainRates): DefinitionFault[] {
  const given = choices.get(block.name);
  if (!given) return [];
  const sum = given.reduce((total, share) => total + share, 0);
  const fits = given.length === block.choices.length && given.every(isShare) && sum <= 1 + 1e-9;
  return fits ? [] : [faultAt(block.name, pointer, `needs ${block.choices.length} shares from 0 to 1, at most 1 together`)];
}

function faultsOf({ block, pointer }: Place, rates: ChainRates): DefinitionFault[] {
  switch (block.kind) {
    case 'step':
      return usesOf(block).flatMap((_, at) =>
        levelFaults(rates.levels.get(block.name)?.[at], block, at === 0 ? `${pointer}/use` : `${pointer}/fallbacks/${at - 1}`),
      );
    case 'branch':
      return choiceFaults(block, pointer, rates);
    case 'map': {
      const items = itemsOf(block, rates);
      const fits = Number.isSafeInteger(items) && items >= 0 && items <= PREDICTED_ITEMS_MAX;
      return fits ? [] : [faultAt(block.name, `${pointer}/over`, `${items} items: a whole number from 0 to ${PREDICTED_ITEMS_MAX}`)];
    }
    case 'wait':
      return isShare(rates.answered.get(block.name) ?? 1)
        ? []
        : [faultAt(block.name, pointer, 'the share of answered waits is a number from 0 to 1')];
    default:
      return [];
  }
}

/** Why these rates cannot be used for a definition, each with its step and its JSON Pointer in the definition. */
export const ratesFaults = (definition: SagaDefinition, rates: ChainRates): DefinitionFault[] =>
  within(rootOf(definition)).flatMap((place) => faultsOf(place, rates));
