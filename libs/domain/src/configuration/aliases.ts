import { upstreamOfAlias } from '../upstream/names.js';
import { upstreamAliasesOf, upstreamToolNamed } from './kinds/upstreams.js';
import type { ConfigurationState } from './state/configuration.js';

/** An alias: a second name of a read-only tool of an upstream. Everything else is of the tool: its rules, limits, trust and versions. */
export interface ToolAlias {
  alias: string;
  /** The name of the tool. */
  name: string;
}

const isRegistered = (state: ConfigurationState, tenant_id: string, name: string): boolean =>
  state.tools.has(name) || (state.by_tenant.get(tenant_id)?.tools?.has(name) ?? false);

/** The tool that an alias names; undefined: it is none, or a registered tool has this name. */
export function aliasedTool(state: ConfigurationState, tenant_id: string, alias: string): ToolAlias | undefined {
  const upstream = upstreamOfAlias(alias);
  if (upstream === undefined || isRegistered(state, tenant_id, alias)) return undefined;
  const name = upstreamAliasesOf(state.by_tenant.get(tenant_id), upstream).get(alias)?.name;
  return name === undefined ? undefined : { alias, name };
}

/** The name of the tool that this name means: an alias is resolved, any other stays. */
export const calledName = (state: ConfigurationState, tenant_id: string, name: string): string =>
  aliasedTool(state, tenant_id, name)?.name ?? name;

/**
 * What cached results of a tool of an upstream depend on besides the call: it changes with every change of the tenant's configuration that
 * rulings or runs depend on, and when the upstream describes the tool in another way.
 */
export function cachingBasis(state: ConfigurationState, tenant_id: string, upstream: string, name: string): string {
  const part = state.by_tenant.get(tenant_id);
  const tool = upstreamToolNamed(part, upstream, name);
  return [part?.policy_offset ?? '', tool?.state ?? '', tool?.listed?.digest ?? tool?.pinned?.digest ?? ''].join('/');
}
