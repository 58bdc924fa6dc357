import type { ToolContract } from '@countersign/contracts';
import { type BreakingDifference, breakingDifferences } from '../compatibility/contract-changes.js';
import { parseSemver } from '../versions/semver.js';
import type { UpstreamDefinition } from './state.js';

/**
 * How a new definition of a tool refuses what the pinned one took, or answers what the pinned one did not. Empty: callers of the pinned
 * one are served as before.
 */
export function narrowings(pinned: UpstreamDefinition, listed: UpstreamDefinition): BreakingDifference[] {
  const schemas = ({ input_schema, output_schema }: UpstreamDefinition) => ({ input_schema, output_schema }) as unknown as ToolContract;
  return breakingDifferences(schemas(pinned), schemas(listed), 'minor');
}

/** The smallest version after `before` whose number allows the change from one contract to the other. */
export function nextVersion(before: string, older: ToolContract | undefined, newer: ToolContract): string {
  const semver = parseSemver(before);
  if (!semver) return '1.0.0';
  const { major, minor, patch } = semver;
  if (!older || major === 0 || breakingDifferences(older, newer, 'minor').length > 0) return `${major + 1}.0.0`;
  return breakingDifferences(older, newer, 'patch').length > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
