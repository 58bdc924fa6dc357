import type { ToolCall } from '@countersign/contracts';
import type { Implausible, ToolJob } from '@countersign/runtimes';
import type { LoadedTool } from './loaded-tool.js';

/** A call and what its tool was asked. */
export interface AskedCall {
  readonly job: ToolJob;
  readonly call: ToolCall;
}

/** One way to doubt an output beyond its schema. Sees the call, so that a layer may compare with other calls of its run. */
export interface CheckLayer {
  readonly name: string;
  /** Whether it has anything to say about this tool; asked once, when the tool is loaded. */
  appliesTo(loaded: LoadedTool): boolean;
  check(loaded: LoadedTool, asked: AskedCall, output: unknown): Implausible[];
}

/** What the tool's author says must hold between input and output. */
export const sanityLayer: CheckLayer = {
  name: 'sanity',
  appliesTo: (loaded) => loaded.asks.has('sanity'),
  check: (loaded, { job }, output) => loaded.runtime.sanity?.(job, output) ?? [],
};

/** What the layers that apply to a tool find in one of its outputs. */
export interface Doubts {
  layer: string;
  issues: Implausible[];
  blocks: boolean;
}

/** The first layer that blocks is the last that is asked. */
export function doubtsOf(layers: readonly CheckLayer[], loaded: LoadedTool, asked: AskedCall, output: unknown): Doubts | undefined {
  let doubts: Doubts | undefined;
  for (const layer of layers) {
    const issues = layer.check(loaded, asked, output);
    if (issues.length === 0) continue;
    const blocks = issues.some((issue) => issue.severity === 'block');
    doubts = { layer: layer.name, issues: [...(doubts?.issues ?? []), ...issues], blocks };
    if (blocks) return doubts;
  }
  return doubts;
}
