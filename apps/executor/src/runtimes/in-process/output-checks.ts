import type { SanitySeverity, ToolCall } from '@countersign/contracts';
import type { Issue } from '../../running/job.js';
import type { LoadedTool } from './loaded-tool.js';
import { messageOf } from './thrown-error.js';

/** Something implausible about an output that fits its schema. */
export interface Implausible extends Issue {
  predicate: string;
  severity: SanitySeverity;
}

/** One way to doubt an output beyond its schema. Sees the call, so that a layer may compare with other calls of its run. */
export interface CheckLayer {
  readonly name: string;
  /** Whether it has anything to say about this tool; asked once, when the tool is loaded. */
  appliesTo(loaded: LoadedTool): boolean;
  check(loaded: LoadedTool, call: ToolCall, input: unknown, output: unknown): Implausible[];
}

/** What the tool's author says must hold between input and output. A predicate that throws does not hold. */
export const sanityLayer: CheckLayer = {
  name: 'sanity',
  appliesTo: (loaded) => loaded.tool.sanity !== undefined && loaded.tool.sanity.length > 0,
  check(loaded, _call, input, output) {
    const found: Implausible[] = [];
    for (const { name, severity, holds } of loaded.tool.sanity ?? []) {
      let held = false;
      let why = 'does not hold';
      try {
        held = holds(input as never, output as never) === true;
      } catch (cause) {
        why = `could not be checked: ${messageOf(cause).slice(0, 200)}`;
      }
      if (!held) found.push({ path: '', predicate: name, severity, message: `${name} ${why}` });
    }
    return found;
  },
};

/** What the layers that apply to a tool find in one of its outputs. */
export interface Doubts {
  layer: string;
  issues: Implausible[];
  blocks: boolean;
}

/** The first layer that blocks is the last that is asked. */
export function doubtsOf(
  layers: readonly CheckLayer[],
  loaded: LoadedTool,
  call: ToolCall,
  input: unknown,
  output: unknown,
): Doubts | undefined {
  let doubts: Doubts | undefined;
  for (const layer of layers) {
    const issues = layer.check(loaded, call, input, output);
    if (issues.length === 0) continue;
    const blocks = issues.some((issue) => issue.severity === 'block');
    doubts = { layer: layer.name, issues: [...(doubts?.issues ?? []), ...issues], blocks };
    if (blocks) return doubts;
  }
  return doubts;
}
