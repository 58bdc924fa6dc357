import type { JsonSchema } from '@countersign/contracts';

/** Where a value comes from. Pointers begin with /inputs, /steps/<name>/output, or (inside a map) /item or /index. */
export type Binding = { from: string } | { literal: unknown } | { expression: string };

/** One tool with its inputs. `version` is a range: `1.2.3`, `^1.2.3` or `~1.2.3`. */
export interface ToolUse {
  tool: string;
  version: string;
  inputs: Readonly<Record<string, Binding>>;
}

export interface StepBlock {
  kind: 'step';
  name: string;
  use: ToolUse;
  /** Tried in this order after a failure without an effect. */
  fallbacks?: readonly ToolUse[];
  /** The last level: a person does it. What they must do. */
  manual?: string;
  /** CEL; the step is skipped where it is false. */
  when?: string;
  /** Replaces the tool's own compensation. */
  compensation?: ToolUse;
  /** An irreversible step that is not last runs only after a person approved it. */
  asks?: boolean;
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

/** How many branches must succeed. The rest is dropped: cancelled, and undone where it took effect. */
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
  /** Items that run at once, at least 1. */
  concurrency: number;
  join: Join;
  body: Block;
}

export interface WaitBlock {
  kind: 'wait';
  name: string;
  wait: 'approval' | 'event' | 'time';
  /** Of an event: its name. Of an approval: the question. */
  subject?: string;
  timeout_ms: number;
  /** What running out means; a `time` wait always continues. */
  on_timeout: 'fail' | 'continue';
}

export type Block = StepBlock | SequenceBlock | BranchBlock | ParallelBlock | MapBlock | WaitBlock;

/** Plain data: what a saga does. A running saga keeps the one that it started with. */
export interface SagaDefinition {
  name: string;
  version: string;
  input_schema?: JsonSchema;
  deadline_ms?: number;
  /** The longest that one wait for a person stops the clock. */
  wait_max_ms: number;
  root: Block;
}

/** How many of `branches` a join needs. */
export function needed(join: Join, branches: number): number {
  if (join.kind === 'all') return branches;
  return join.kind === 'quorum' ? Math.min(join.count, branches) : Math.min(1, branches);
}

/** The levels of a step without its manual one. */
export const usesOf = (step: StepBlock): readonly ToolUse[] => [step.use, ...(step.fallbacks ?? [])];
