import type { VersionState } from '@countersign/contracts';
import { inRange, parseRange } from '../versions/semver.js';
import { stateOfVersion } from './standing.js';
import type { ApiKey } from './state/access.js';
import type { ConfigurationState } from './state/configuration.js';
import type { CaseFact, Tenant } from './state/tenants.js';
import type { ToolOverride, ToolVersion } from './state/tools.js';

/** The live API key with this hash; undefined if it is unknown, revoked or expired. */
export function principalOfKey(state: ConfigurationState, key_hash: string, now_ms: number): ApiKey | undefined {
  const key = state.keys_by_hash.get(key_hash);
  if (!key || key.revoked_at_ms !== null) return undefined;
  return key.expires_at_ms !== null && key.expires_at_ms <= now_ms ? undefined : key;
}

/** The keys of a tenant, including revoked ones, oldest first. */
export function keysOf(state: ConfigurationState, tenant_id: string): ApiKey[] {
  return [...state.keys_by_id.values()].filter((key) => key.tenant_id === tenant_id);
}

/** Undefined: the tenant does not exist. */
export function tenantOf(state: ConfigurationState, tenant_id: string): Tenant | undefined {
  return state.tenants.get(tenant_id);
}

/** Ids of all existing tenants, and of those that ever had a key. */
export function tenantIdsOf(state: ConfigurationState): string[] {
  const of_keys = [...state.keys_by_id.values()].map(({ tenant_id }) => tenant_id);
  return [...new Set([...state.tenants.keys(), ...of_keys])];
}

/** A version of a tool as one tenant sees it. */
export interface TenantToolVersion {
  tool: ToolVersion;
  lifecycle: VersionState;
}

const NO_VERSIONS: readonly ToolVersion[] = [];

/** The registered versions of a tool of a pack, else of the tenant's own tool, newest first. A tool of a pack hides one of the same name. */
function registeredVersions(state: ConfigurationState, tenant_id: string, name: string): readonly ToolVersion[] {
  return state.tools.get(name) ?? state.by_tenant.get(tenant_id)?.tools?.get(name) ?? NO_VERSIONS;
}

/** The versions of a tool that run in the tenant's lane, newest first, with their lifecycle; empty if there is no such tool. */
export function toolVersions(state: ConfigurationState, tenant_id: string, name: string): TenantToolVersion[] {
  const lane = state.tenants.get(tenant_id)?.lane;
  if (lane === undefined) return [];
  const versions = registeredVersions(state, tenant_id, name);
  return versions.filter((tool) => tool.lanes.has(lane)).map((tool) => ({ tool, lifecycle: stateOfVersion(state, tenant_id, tool) }));
}

/** Names of all tools that run in the tenant's lane, sorted. */
export function toolNames(state: ConfigurationState, tenant_id: string): string[] {
  const names = new Set([...state.tools.keys(), ...(state.by_tenant.get(tenant_id)?.tools?.keys() ?? [])]);
  return [...names].filter((name) => toolVersions(state, tenant_id, name).length > 0).sort();
}

/** The catalogued version with exactly this number as the tenant has it, whatever its lifecycle or lane. */
export function catalogued(state: ConfigurationState, tenant_id: string, name: string, version: string): ToolVersion | undefined {
  return registeredVersions(state, tenant_id, name).find((tool) => tool.version === version);
}

export type ResolvedVersion =
  | ({ kind: 'found' } & TenantToolVersion)
  | { kind: 'unknown_tool' }
  /** The version does not exist; `known` lists the existing ones, newest first. */
  | { kind: 'unknown_version'; known: string[] }
  /** All matching versions are blocked, suspended or not promoted: policy refuses the newest of them. */
  | ({ kind: 'blocked' } & TenantToolVersion)
  | { kind: 'bad_range' };

/**
 * Resolves the requested version. `range` is `x.y.z`, `^x.y.z` or `~x.y.z`; undefined means the newest active release. Active versions
 * precede deprecated ones, newer precede older, and releases precede prereleases (which match only if named exactly or if there are no
 * releases).
 */
export function resolveVersion(state: ConfigurationState, tenant_id: string, name: string, range: string | undefined): ResolvedVersion {
  const versions = toolVersions(state, tenant_id, name);
  if (versions.length === 0) return { kind: 'unknown_tool' };
  const parsed = range === undefined ? undefined : parseRange(range);
  if (range !== undefined && !parsed) return { kind: 'bad_range' };
  const fitting = parsed ? versions.filter(({ tool }) => inRange(parsed, tool.version, tool.semver)) : releasesFirst(versions);
  const chosen =
    fitting.find((version) => version.lifecycle === 'active') ??
    fitting.find((version) => version.lifecycle === 'deprecated') ??
    fitting[0];
  if (!chosen) return { kind: 'unknown_version', known: versions.map(({ tool }) => tool.version) };
  const runs = chosen.lifecycle === 'active' || chosen.lifecycle === 'deprecated';
  return { kind: runs ? 'found' : 'blocked', ...chosen };
}

function releasesFirst(versions: readonly TenantToolVersion[]): readonly TenantToolVersion[] {
  const releases = versions.filter(({ tool }) => tool.semver.prerelease === '');
  return releases.length > 0 ? releases : versions;
}

/** The tenant's row for a tool, else its row for `*`. */
export function overrideFor(state: ConfigurationState, tenant_id: string, tool: string): ToolOverride | undefined {
  const overrides = state.by_tenant.get(tenant_id)?.overrides;
  if (!overrides || overrides.size === 0) return undefined;
  return overrides.get(tool) ?? overrides.get('*');
}

export function caseOf(state: ConfigurationState, tenant_id: string, case_id: string): CaseFact | undefined {
  return state.by_tenant.get(tenant_id)?.cases.get(case_id);
}
