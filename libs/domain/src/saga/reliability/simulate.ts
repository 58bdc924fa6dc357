import { Mulberry32 } from '../../mulberry32.js';
import { latencyBucket, latencyQuantile } from '../../usage/latency.js';
import { type Block, type SagaDefinition, usesOf } from '../definition/definition.js';
import { below, rootOf, within } from '../definition/places.js';
import { DecisionMemory, MEMORY_MAX } from './decision-memory.js';
import { type ChainRates, itemsOf } from './rates.js';
import { type RunEnd, SimulatedRun } from './simulated-run.js';
import { SimulatedWorld } from './simulated-world.js';

/** How many of the simulated runs ended in each way. */
export interface SimulatedEnds {
  runs: number;
  /** Without a person. */
  completed: number;
  by_person: number;
  /** Stopped in doubt at least once. */
  in_doubt: number;
  failed: number;
}

/** Calls of one run that are simulated. Side by side their time grows faster than the square of their number: 200 take seconds. */
const CALLS_MAX = { in_sequence: 600, side_by_side: 200 } as const;

/** The largest number of calls that one run has, with its waits and the entries of its branches and maps. */
function callsOf(block: Block, rates: ChainRates): number {
  const inner = below({ block, pointer: '' }).map((each) => callsOf(each.block, rates));
  if (block.kind === 'branch') return 1 + Math.max(0, ...inner);
  const sum = inner.reduce((total, each) => total + each, 0);
  if (block.kind === 'map') return 1 + itemsOf(block, rates) * sum;
  if (block.kind === 'step') return usesOf(block).length;
  return block.kind === 'wait' ? 1 : sum;
}

const blocksOf = (definition: SagaDefinition): Block[] => within(rootOf(definition)).map(({ block }) => block);
const isWide = (definition: SagaDefinition): boolean => blocksOf(definition).some(({ kind }) => kind === 'parallel' || kind === 'map');

/** Why a definition is not simulated; undefined if it is. */
export function simulationFault(definition: SagaDefinition, rates: ChainRates): string | undefined {
  const calls = callsOf(definition.root, rates);
  const calls_max = CALLS_MAX[isWide(definition) ? 'side_by_side' : 'in_sequence'];
  return calls > calls_max ? `one run may have ${calls} calls, at most ${calls_max} are simulated` : undefined;
}

/** Whether a wait for a time may run beside another: only then does the time of a command decide. */
const hasTimesSideBySide = (definition: SagaDefinition): boolean =>
  isWide(definition) && blocksOf(definition).some((block) => block.kind === 'wait' && block.wait === 'time');

/**
 * Runs a saga many times through the real deciders, with outcomes and latencies drawn by the given rates. The same seed gives the same ends.
 * `ratesFaults` and `simulationFault` must have found nothing.
 */
export class SagaSimulation {
  readonly ends: SimulatedEnds = { runs: 0, completed: 0, by_person: 0, in_doubt: 0, failed: 0 };
  private readonly durations = new Map<number, number>();
  private readonly world: SimulatedWorld;
  private readonly memory: DecisionMemory;
  private readonly is_timed: boolean;

  constructor(definition: SagaDefinition, rates: ChainRates, seed: number) {
    this.world = new SimulatedWorld(definition, rates, new Mulberry32(seed));
    this.is_timed = hasTimesSideBySide(definition);
    this.memory = new DecisionMemory(this.world.start(), this.is_timed ? 0 : MEMORY_MAX);
  }

  run(runs: number): this {
    for (let n = 0; n < runs; n++) this.count(new SimulatedRun(this.memory, this.world, this.is_timed).run());
    return this;
  }

  /** The duration that a share `q` of the completed runs does not exceed, milliseconds; null if none completed. */
  latency(q: number): number | null {
    const us = latencyQuantile(this.durations, q);
    return us === null ? null : us / 1_000;
  }

  private count({ completed, by_person, in_doubt, duration_ms }: RunEnd): void {
    this.ends.runs++;
    if (in_doubt) this.ends.in_doubt++;
    if (!completed) this.ends.failed++;
    else if (by_person) this.ends.by_person++;
    else this.ends.completed++;
    if (!completed) return;
    const bucket = latencyBucket(duration_ms * 1_000);
    this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + 1);
  }
}
