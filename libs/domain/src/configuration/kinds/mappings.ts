import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { MappingVersion } from '../state/tools.js';

/** Stands for every tool of the tenant; only the mode of such a mapping is used. */
export const ANY_TOOL = '*';

function read(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const definition = JSON.parse(text) as unknown;
    return definition !== null && typeof definition === 'object' && !Array.isArray(definition)
      ? (definition as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export function setMapping(state: ConfigurationState, event: EventMap['mapping_set']): void {
  const { mappings } = tenantPart(state, event.meta.tenant_id);
  const { tool, version, definition_json, rolled_back_to, by, changed_at_ms, needs_activation } = event;
  const versions = mappings.get(tool) ?? [];
  // Two gateways may publish the same number concurrently: the first record on the log gets it.
  if (versions.some((known) => known.version === version)) return;
  const force = { in_force_from_ms: needs_activation ? null : changed_at_ms, activated_by: null };
  const definition = read(definition_json);
  mappings.set(tool, [...versions, { tool, version, definition, rolled_back_to, by, changed_at_ms, ...force }]);
}

/** Activates a version that waits for a second person. Its publisher may activate it only if the tenant has one policy admin. */
export function activateMapping(state: ConfigurationState, event: EventMap['mapping_activated']): void {
  const { mappings, bundles } = tenantPart(state, event.meta.tenant_id);
  const { tool, version, by, changed_at_ms } = event;
  const versions = mappings.get(tool) ?? [];
  const waiting = versions.find((known) => known.version === version && known.in_force_from_ms === null);
  if (!waiting || (waiting.by.id === by.id && !bundles.single_policy_admin)) return;
  const active = { ...waiting, in_force_from_ms: Math.max(changed_at_ms, waiting.changed_at_ms), activated_by: by };
  mappings.set(
    tool,
    versions.map((known) => (known === waiting ? active : known)),
  );
}

/** All versions of a tenant's mapping for a tool, oldest first. */
export function mappingVersions(state: ConfigurationState, tenant_id: string, tool: string): readonly MappingVersion[] {
  return state.by_tenant.get(tenant_id)?.mappings.get(tool) ?? [];
}

/** The mapping that applies to a call: the newest version in force when the call was requested. Undefined: none. */
export function mappingAt(state: ConfigurationState, tenant_id: string, tool: string, at_ms: number): MappingVersion | undefined {
  const mappings = state.by_tenant.get(tenant_id)?.mappings;
  if (!mappings || mappings.size === 0) return undefined;
  const found = mappings.get(tool)?.findLast(({ in_force_from_ms: from_ms }) => from_ms !== null && from_ms <= at_ms);
  return found && found.definition !== null ? found : undefined;
}

/** The tenant's default mode, for mappings that set none. */
export function mappingMode(state: ConfigurationState, tenant_id: string): 'strict' | 'permissive' {
  const mode = mappingVersions(state, tenant_id, ANY_TOOL).at(-1)?.definition?.mode;
  return mode === 'permissive' ? 'permissive' : 'strict';
}
