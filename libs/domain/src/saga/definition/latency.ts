import { type Block, needed, type StepBlock, usesOf } from './definition.js';
import { below } from './places.js';

/** Milliseconds by step name. */
export type Latencies = Readonly<Record<string, number>>;

const LEAST_MS = 1;
/** A step may be named like a built-in member of objects. */
const stepLatency = (name: string, latencies: Latencies): number =>
  Object.hasOwn(latencies, name) ? Math.max(LEAST_MS, latencies[name] as number) : LEAST_MS;
const inner = (block: Block): Block[] => below({ block, pointer: '' }).map((place) => place.block);
const sum = (blocks: readonly Block[], latencies: Latencies): number =>
  blocks.reduce((total, each) => total + latencyOf(each, latencies), 0);

/** The expected duration of a block without waits for people and events. A map counts as one item. */
export function latencyOf(block: Block, latencies: Latencies): number {
  switch (block.kind) {
    case 'step':
      return stepLatency(block.name, latencies);
    case 'wait':
      return block.wait === 'time' ? block.timeout_ms : 0;
    case 'sequence':
      return sum(block.blocks, latencies);
    case 'parallel': {
      const each = block.branches.map((branch) => latencyOf(branch, latencies)).sort((a, b) => a - b);
      return each[needed(block.join, each.length) - 1] ?? 0;
    }
    default:
      return Math.max(0, ...inner(block).map((each) => latencyOf(each, latencies)));
  }
}

/** The expected duration from a step to the end of the block; undefined if the block does not contain the step. */
export function latencyAfter(block: Block, name: string, latencies: Latencies): number | undefined {
  if (block.kind === 'step') return block.name === name ? 0 : undefined;
  const blocks = inner(block);
  for (const [at, each] of blocks.entries()) {
    const rest = latencyAfter(each, name, latencies);
    if (rest !== undefined) return block.kind === 'sequence' ? rest + sum(blocks.slice(at + 1), latencies) : rest;
  }
  return undefined;
}

/** The expected duration of the levels of a step after this one: as declared, else like the step itself. */
function laterLevels(step: StepBlock, level: number, own_ms: number): number {
  return usesOf(step)
    .slice(level + 1)
    .reduce((total, { p99_ms }) => total + (p99_ms ?? own_ms), 0);
}

/** The deadline of a level of a step: its share, by estimate, of the remaining time. The rest is kept for later levels and steps. */
export function stepDeadline(
  root: Block,
  { step, level }: { step: StepBlock; level: number },
  latencies: Latencies,
  time: { now_ms: number; deadline_ms: number },
): number {
  const own = stepLatency(step.name, latencies);
  const rest = (latencyAfter(root, step.name, latencies) ?? 0) + laterLevels(step, level, own);
  const left = Math.max(0, time.deadline_ms - time.now_ms);
  return time.now_ms + Math.floor((left * own) / (own + rest));
}
