import { type ConfigurationState, type KnownTool, knownTool, toolNames, toolVersions } from '@countersign/domain';

/** Every version of every tool that the tenant may call, as the check of a definition knows it. */
export function tenantTools(state: ConfigurationState, tenant_id: string): KnownTool[] {
  return toolNames(state, tenant_id).flatMap((name) => toolVersions(state, tenant_id, name).map(knownTool));
}
