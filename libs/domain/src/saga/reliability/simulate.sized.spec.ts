import { histories } from '@countersign/contracts/testing/histories';
import { expect, test } from 'vitest';
import { Seeded } from '../../testing/lanes/seeded.js';
import { fiveRates, fiveSteps, level } from '../../testing/reliability/chains.js';
import { RandomDefinition } from '../../testing/sagas/random-definition.js';
import type { Block } from '../definition/definition.js';
import { rootOf, within } from '../definition/places.js';
import { differenceMax } from './agreement.js';
import { predictSaga } from './predict.js';
import type { ChainRates, LevelRates } from './rates.js';
import { SagaSimulation, simulationFault } from './simulate.js';

const RUNS = histories(10_000, 100_000);
const SHORT = histories(200, 500);
const agrees = (simulated: number, predicted: number, runs: number): void =>
  expect(Math.abs(simulated / runs - predicted)).toBeLessThanOrEqual(differenceMax(predicted, runs));

test.each([0, 0.02])(`the real deciders complete five steps as often as the equation says (${RUNS} runs, doubt %d)`, (in_doubt) => {
  const rates = fiveRates(in_doubt);
  const predicted = predictSaga(fiveSteps, rates);
  const { ends } = new SagaSimulation(fiveSteps, rates, 1).run(RUNS);
  agrees(ends.completed, predicted.reliability, RUNS);
  agrees(ends.in_doubt, predicted.in_doubt, RUNS);
  if (RUNS === 100_000) expect(Math.abs(ends.completed / RUNS / predicted.reliability - 1)).toBeLessThan(0.002);
});

/** Rates of every step, branch, map and wait of a random definition. */
function randomRates(random: Seeded, model: RandomDefinition): ChainRates {
  const levels = new Map<string, LevelRates[]>();
  const rates = { levels, choices: new Map(), items: new Map<string, number>(), answered: new Map<string, number>() };
  for (const { block } of within(rootOf(model.definition))) {
    const drawn = () => level(0.6 + random.unit() * 0.3, random.unit() * 0.1, { p50_ms: 10, p99_ms: 1 + random.below(200) + 10 });
    if (block.kind === 'step') levels.set(block.name, [drawn(), ...(block.fallbacks ?? []).map(drawn)]);
    if (block.kind === 'map') rates.items.set(block.name, random.below(4));
    if (block.kind === 'wait') rates.answered.set(block.name, 0.5 + random.unit() / 2);
  }
  return rates;
}

/** Whether a person may hold up items of a map that would have completed without one. */
const holdsUp = (root: Block): boolean =>
  within({ block: root, pointer: '' }).some(
    ({ block }) =>
      block.kind === 'map' &&
      block.join.kind !== 'all' &&
      within({ block: block.body, pointer: '' }).some(({ block: inner }) => inner.kind === 'step' && inner.manual !== undefined),
  );

test('every kind of block completes in the deciders as often as predicted', () => {
  for (let seed = 1; seed <= histories(5, 100); seed++) {
    const random = new Seeded(seed);
    const model = new RandomDefinition(random);
    const rates = randomRates(random, model);
    expect(simulationFault(model.definition, rates)).toBeUndefined();
    const predicted = predictSaga(model.definition, rates);
    const { ends } = new SagaSimulation(model.definition, rates, seed).run(SHORT);
    agrees(ends.completed + ends.by_person, predicted.reliability + predicted.by_person, SHORT);
    if (!holdsUp(model.definition.root)) agrees(ends.by_person, predicted.by_person, SHORT);
    expect(ends.in_doubt / SHORT).toBeLessThan(predicted.in_doubt + 0.15);
    expect(predicted.reliability_at_worst).toBeLessThanOrEqual(predicted.reliability + 1e-12);
  }
});
