import type { Block, SagaDefinition, StepBlock } from '../../saga/definition/definition.js';
import type { ChainRates, LevelRates } from '../../saga/reliability/rates.js';

const use = { tool: 'look', version: '1.0.0', inputs: {} };

/** A step with this many levels. */
export const step = (name: string, levels = 1, more: Partial<StepBlock> = {}): StepBlock => ({
  ...{ kind: 'step', name, use },
  ...(levels > 1 ? { fallbacks: new Array(levels - 1).fill(use) } : {}),
  ...more,
});
export const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });
export const chainOf = (root: Block): SagaDefinition => ({ name: 'chain', version: '1.0.0', wait_max_ms: 1_000, root });

/** `r`: the share that does not fail without an effect. */
export const level = (r: number, in_doubt = 0, latency: LevelRates['latency'] = null): LevelRates => ({ failed: 1 - r, in_doubt, latency });

export function ratesOf(levels: Readonly<Record<string, readonly LevelRates[]>>, more: Partial<ChainRates> = {}): ChainRates {
  return { levels: new Map(Object.entries(levels)), choices: new Map(), items: new Map(), answered: new Map(), ...more };
}

/** Five steps at .95, each with a secondary at .90. */
export const FIVE = ['a', 'b', 'c', 'd', 'e'];
export const fiveSteps = chainOf(sequence(...FIVE.map((name) => step(name, 2))));
export const fiveRates = (in_doubt = 0, latency: LevelRates['latency'] = null): ChainRates =>
  ratesOf(Object.fromEntries(FIVE.map((name) => [name, [level(0.95, in_doubt, latency), level(0.9, in_doubt, latency)]])));
