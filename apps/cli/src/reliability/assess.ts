import type { RatesFile } from '@countersign/definitions';
import {
  type DefinitionFault,
  differenceMax,
  predictSaga,
  type SagaDefinition,
  type SagaPrediction,
  SagaSimulation,
  type SimulatedEnds,
  simulationFault,
} from '@countersign/domain';
import { assumptionsOf, chainRates, type RatedLevel } from './rated-chain.js';

/** A rate of fewer runs is uncertain. */
export const RUNS_FEW = 100;
const SIMULATION_MS_MAX = 60_000;

export interface Simulated {
  seed: number;
  /** The number of runs that were wanted; `ends.runs` is smaller where the time was up. */
  runs_wanted: number;
  ends: SimulatedEnds;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Between the simulated and the predicted share of completed runs, with those that a person completed. */
  difference: number;
  agrees: boolean;
}

export interface Assessment {
  definition: { name: string; version: string };
  levels: readonly RatedLevel[];
  prediction: SagaPrediction;
  /** `prediction.reliability` with each rate at an end of its interval. */
  interval: { low: number; high: number };
  simulation: Simulated | null;
  warnings: DefinitionFault[];
}

function simulate(simulation: SagaSimulation, runs: number): void {
  const end_ms = performance.now() + SIMULATION_MS_MAX;
  for (let n = 0; n < runs && performance.now() < end_ms; n++) simulation.run(1);
}

function simulated(
  definition: SagaDefinition,
  rated: Pick<Assessment, 'prediction'> & { rates: ReturnType<typeof chainRates> },
  { runs, seed }: { runs: number; seed: number },
): Simulated | null {
  if (runs === 0) return null;
  const simulation = new SagaSimulation(definition, rated.rates, seed);
  simulate(simulation, runs);
  const { ends } = simulation;
  const predicted = Math.min(1, rated.prediction.reliability + rated.prediction.by_person);
  const difference = (ends.completed + ends.by_person) / ends.runs - predicted;
  const agrees = Math.abs(difference) <= differenceMax(predicted, ends.runs);
  const latency = { p50_ms: simulation.latency(0.5), p99_ms: simulation.latency(0.99) };
  return { seed, runs_wanted: runs, ends, ...latency, difference, agrees };
}

function rateWarnings(levels: readonly RatedLevel[]): DefinitionFault[] {
  return levels.flatMap(({ step, pointer, tool, reliability, runs, source, latency }) => {
    const warning = (message: string): DefinitionFault => ({ severity: 'warning', step, pointer, message });
    const found: DefinitionFault[] = [];
    if (source === 'default') found.push(warning(`${tool} has no runs: ${reliability} is the default, set by --default-rate`));
    if (source === 'declared') found.push(warning(`${tool} has no runs: ${reliability} is its declared availability`));
    if (runs !== null && runs < RUNS_FEW) found.push(warning(`the rate of ${tool} comes from only ${runs} runs`));
    if (latency === null) found.push(warning(`the latency of ${tool} is unknown and counted as 0`));
    return found;
  });
}

function deadlineWarnings({ deadline_ms }: SagaDefinition, simulation: Simulated | null): DefinitionFault[] {
  const p99_ms = simulation?.p99_ms ?? 0;
  if (deadline_ms === undefined || p99_ms <= deadline_ms) return [];
  const message = `the simulated p99 of ${Math.round(p99_ms)} ms is later than the deadline, which the prediction does not count`;
  return [{ severity: 'warning', step: null, pointer: '/deadline_ms', message }];
}

/** Predicts a definition from rated levels, and simulates it unless it is too large or `runs` is 0. */
export function assess(
  definition: SagaDefinition,
  levels: readonly RatedLevel[],
  file: RatesFile,
  wanted: { runs: number; seed: number /** Why doubts and latencies could not be read. */; unread: string | null },
): Assessment {
  const rates = chainRates(levels, file);
  const prediction = predictSaga(definition, rates);
  const at = (end: 'low' | 'high') => predictSaga(definition, chainRates(levels, file, end)).reliability;
  const too_large = simulationFault(definition, rates);
  const simulation = too_large === undefined ? simulated(definition, { prediction, rates }, wanted) : null;
  const warnings = [...rateWarnings(levels), ...assumptionsOf(definition, file), ...deadlineWarnings(definition, simulation)];
  if (too_large !== undefined) warnings.push({ severity: 'warning', step: null, pointer: '/root', message: `not simulated: ${too_large}` });
  if (wanted.unread !== null)
    warnings.push({ severity: 'warning', step: null, pointer: '', message: `doubts and latencies were not read: ${wanted.unread}` });
  const { name, version } = definition;
  return { definition: { name, version }, levels, prediction, interval: { low: at('low'), high: at('high') }, simulation, warnings };
}
