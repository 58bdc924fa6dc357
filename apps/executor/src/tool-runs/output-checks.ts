import type { Implausible, ToolJob } from '@countersign/runtimes';
import type { LoadedTool } from './loaded-tool.js';

/** What the predicates of a tool find in one of its outputs. */
export interface Doubts {
  issues: Implausible[];
  blocks: boolean;
}

const doubts = (issues: Implausible[]): Doubts | undefined =>
  issues.length === 0 ? undefined : { issues, blocks: issues.some(({ severity }) => severity === 'block') };

/** What the tool's author says must hold between input and output, and does not. */
export function doubtsOf({ runtime, asks }: LoadedTool, job: ToolJob, output: unknown): Doubts | undefined | Promise<Doubts | undefined> {
  if (!asks.has('sanity')) return undefined;
  const found = runtime.sanity?.(job, output) ?? [];
  return found instanceof Promise ? found.then(doubts) : doubts(found);
}
