import { type ConfigurationState, nearestNames, toolNames, toolVersions } from '@countersign/domain';
import { Refusal } from '../refusal.js';

/** The tool does not exist. The refusal suggests similar names. */
export function noSuchTool(state: ConfigurationState, tenantId: string, name: string): Refusal {
  return new Refusal('unknown-tool', `there is no tool named ${JSON.stringify(name)}`, {
    nearest: nearestNames(name, toolNames(state, tenantId)),
  });
}

/** The tool has no such version. The refusal lists the existing versions, newest first. */
export function noSuchVersion(state: ConfigurationState, tenantId: string, name: string, version: string): Refusal {
  const known = toolVersions(state, tenantId, name).map(({ tool }) => tool.version);
  if (known.length === 0) return noSuchTool(state, tenantId, name);
  const nearest = nearestNames(version, known);
  return new Refusal('unknown-version', `${name} has no version ${version}`, { known_versions: known, nearest });
}
