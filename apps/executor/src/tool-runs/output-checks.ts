import type { Implausible, ToolJob } from '@countersign/runtimes';
import type { LoadedTool } from './loaded-tool.js';

/** Findings of the predicates of a tool about one output. */
export interface Doubts {
  issues: Implausible[];
  blocks: boolean;
}

const doubts = (issues: Implausible[]): Doubts | undefined =>
  issues.length === 0 ? undefined : { issues, blocks: issues.some(({ severity }) => severity === 'block') };

/** The conditions of the tool's author on input and output that do not hold. */
export function doubtsOf({ runtime, asks }: LoadedTool, job: ToolJob, output: unknown): Doubts | undefined | Promise<Doubts | undefined> {
  if (!asks.has('sanity')) return undefined;
  const found = runtime.sanity?.(job, output) ?? [];
  return found instanceof Promise ? found.then(doubts) : doubts(found);
}
