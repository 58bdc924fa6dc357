import type { JsonSchema } from '@countersign/contracts';

/** The source of a value. Pointers begin with /inputs, /steps/<name>/output, or (inside a map) /item or /index. */
export type Binding = { from: string } | { literal: unknown } | { expression: string };

/** A tool with its inputs. `version` is a range: `1.2.3`, `^1.2.3` or `~1.2.3`. The numbers describe it as a level of a step. */
export interface ToolUse {
  tool: string;
  version: string;
  inputs: Readonly<Record<string, Binding>>;
  /** Milliseconds in which 99 % of its calls end. Default: the p99 of the tool's contract. */
  p99_ms?: number;
  /** Price of a call, in the unit of the author. */
  cost?: number;
  /** Share of its answers that are right, 0 to 1. Lowers the confidence of an answer: `levelConfidence`. */
  accuracy?: number;
  /** Share of its calls that end with an answer, 0 to 1. */
  availability?: number;
}

export interface StepBlock {
  kind: 'step';
  name: string;
  use: ToolUse;
  /** Tried in this order after a failure without an effect. */
  fallbacks?: readonly ToolUse[];
  /** Instructions for a person who does the step by hand. This is the last level. */
  manual?: string;
  /** CEL; the step is skipped if it is false. */
  when?: string;
  /** Replaces the tool's own compensation. */
  compensation?: ToolUse;
  /** An irreversible step that is not last requires approval by a person. */
  asks?: boolean;
  /** A read that fails validation or answers empty is called again with repaired inputs. Writes are never repaired. */
  repair?: boolean;
}

export interface SequenceBlock {
  kind: 'sequence';
  blocks: readonly Block[];
}

/** The first choice whose CEL condition is true runs; else `otherwise`; else nothing. */
export interface BranchBlock {
  kind: 'branch';
  name: string;
  choices: readonly { when: string; block: Block }[];
  otherwise?: Block;
}

/** The number of branches that must succeed. The remaining branches are dropped: cancelled, and undone if they had an effect. */
export type Join = { kind: 'all' } | { kind: 'quorum'; count: number } | { kind: 'first_success' };

export interface ParallelBlock {
  kind: 'parallel';
  join: Join;
  branches: readonly Block[];
}

export interface MapBlock {
  kind: 'map';
  name: string;
  over: Binding;
  /** Maximum of concurrent items, at least 1. */
  concurrency: number;
  join: Join;
  body: Block;
}

export interface WaitBlock {
  kind: 'wait';
  name: string;
  wait: 'approval' | 'event' | 'time';
  /** The name of the event, or the question of the approval. */
  subject?: string;
  timeout_ms: number;
  /** The result of a timeout; a `time` wait always continues. */
  on_timeout: 'fail' | 'continue';
  /** The answer of an approval or event, which is its output; absent: any JSON, or none. */
  answer_schema?: JsonSchema;
}

/** A block that later blocks read at /steps/<name>/output: what a tool returned, or what a wait was answered. */
export type OutputBlock = StepBlock | WaitBlock;

export type Block = StepBlock | SequenceBlock | BranchBlock | ParallelBlock | MapBlock | WaitBlock;

/** The definition of a saga as plain data. A running saga keeps the definition that it started with. */
export interface SagaDefinition {
  name: string;
  version: string;
  input_schema?: JsonSchema;
  deadline_ms?: number;
  /** The longest time that one wait for a person pauses the clock. */
  wait_max_ms: number;
  root: Block;
}

/** How many of `branches` must succeed for a join. */
export function needed(join: Join, branches: number): number {
  if (join.kind === 'all') return branches;
  return join.kind === 'quorum' ? Math.min(join.count, branches) : Math.min(1, branches);
}

/** The levels of a step, without the manual one. */
export const usesOf = (step: StepBlock): readonly ToolUse[] => [step.use, ...(step.fallbacks ?? [])];
