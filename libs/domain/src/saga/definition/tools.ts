import { nearestNames } from '../../registry/nearest-names.js';
import { compareSemver, inRangeText, parseSemver } from '../../versions/semver.js';
import type { StepBlock, ToolUse } from './definition.js';
import { usesOf } from './definition.js';
import { type DefinitionFault, faultAt, type KnownTool, warningAt } from './faults.js';

const newer = (a: KnownTool, b: KnownTool): number => {
  const [left, right] = [parseSemver(a.version), parseSemver(b.version)];
  return left && right ? compareSemver(right, left) : 0;
};

/** The newest usable version in the range; a deprecated one only if no active one matches. */
export function resolveTool({ tool, version }: ToolUse, tools: readonly KnownTool[]): KnownTool | undefined {
  const inRange = inRangeText(version);
  const usable = tools.filter((known) => known.name === tool && known.state !== 'blocked' && inRange?.(known.version)).sort(newer);
  return usable.find((known) => known.state === 'active') ?? usable[0];
}

/** Unknown tools for which near names are looked up: that takes time for each pair of names. */
const LOOKED_UP_MAX = 10;

/** Uses of tools that do not exist. */
export function unknownToolFaults(steps: readonly { block: StepBlock; pointer: string }[], tools: readonly KnownTool[]): DefinitionFault[] {
  const names = new Set(tools.map((known) => known.name));
  const unknown = steps.flatMap(({ block, pointer }) =>
    placedUses(block, pointer).flatMap(({ use, pointer: at }) => (names.has(use.tool) ? [] : [{ step: block.name, tool: use.tool, at }])),
  );
  return unknown.map(({ step, tool, at }, index) => {
    const near = index < LOOKED_UP_MAX ? nearestNames(tool, [...names], 3) : [];
    return faultAt(step, `${at}/tool`, `there is no tool ${tool}${near.length > 0 ? `; near: ${near.join(', ')}` : ''}`);
  });
}

/** Faults of the version of a tool that exists. */
export function useFaults(use: ToolUse, step: string, pointer: string, tools: readonly KnownTool[]): DefinitionFault[] {
  if (!tools.some((known) => known.name === use.tool)) return [];
  if (!inRangeText(use.version))
    return [faultAt(step, `${pointer}/version`, `${use.version} is not a version range: write 1.2.3, ^1.2.3 or ~1.2.3`)];
  const found = resolveTool(use, tools);
  if (!found) return [faultAt(step, `${pointer}/version`, `no usable version of ${use.tool} is in ${use.version}`)];
  return found.state === 'deprecated' ? [warningAt(step, `${pointer}/version`, `${use.tool} ${found.version} is deprecated`)] : [];
}

/** The uses of a step with their pointers, its compensation last. */
export function placedUses(step: StepBlock, pointer: string): { use: ToolUse; pointer: string; is_compensation: boolean }[] {
  const uses = usesOf(step).map((use, at) => ({
    use,
    pointer: at === 0 ? `${pointer}/use` : `${pointer}/fallbacks/${at - 1}`,
    is_compensation: false,
  }));
  return step.compensation ? [...uses, { use: step.compensation, pointer: `${pointer}/compensation`, is_compensation: true }] : uses;
}

/** Whether any level of the step has an effect or is irreversible, whether all can be undone, and the p99 of the first one. */
export function traitsOf(
  step: StepBlock,
  tools: readonly KnownTool[],
): { is_write: boolean; is_irreversible: boolean; can_undo: boolean; latency_ms: number } {
  const known = usesOf(step).flatMap((use) => resolveTool(use, tools) ?? []);
  const writes = known.filter((tool) => tool.is_write);
  return {
    is_write: writes.length > 0,
    is_irreversible: writes.some((tool) => tool.reversibility === 'irreversible'),
    can_undo: step.compensation !== undefined || writes.every((tool) => tool.has_compensate),
    latency_ms: step.use.p99_ms ?? known[0]?.latency_p99_ms ?? 0,
  };
}
