import { contractDigest, type EventMap, type ToolContract } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import { compareSemver, parseSemver } from './semver.js';
import type { ConfigurationState, TenantConfiguration } from './state.js';

function tenantPart(state: ConfigurationState, tenantId: string): TenantConfiguration {
  let part = state.by_tenant.get(tenantId);
  if (!part) {
    part = { overrides: new Map(), lifecycles: new Map(), cases: new Map() };
    state.by_tenant.set(tenantId, part);
  }
  return part;
}

function setTenant(state: ConfigurationState, event: EventMap['tenant_set']): void {
  const { lane, weight, running_max, in_flight_max } = event;
  state.tenants.set(event.meta.tenant_id, { tenant_id: event.meta.tenant_id, lane, weight, running_max, in_flight_max });
}

function setKey(state: ConfigurationState, event: EventMap['api_key_set']): void {
  const { key_id, key_hash, principal, scopes, expires_at_ms, created_at_ms } = event;
  const before = state.keys_by_id.get(key_id);
  if (before) state.keys_by_hash.delete(before.key_hash);
  const key = {
    key_id,
    key_hash,
    tenant_id: event.meta.tenant_id,
    principal,
    scopes,
    expires_at_ms,
    created_at_ms,
    revoked_at_ms: before?.revoked_at_ms ?? null,
  };
  state.keys_by_id.set(key_id, key);
  state.keys_by_hash.set(key_hash, key);
}

function revokeKey(state: ConfigurationState, event: EventMap['api_key_revoked']): void {
  const key = state.keys_by_id.get(event.key_id);
  if (key && key.tenant_id === event.meta.tenant_id) key.revoked_at_ms ??= event.revoked_at_ms;
}

function setOverride(state: ConfigurationState, event: EventMap['tool_policy_set']): void {
  const { overrides } = tenantPart(state, event.meta.tenant_id);
  const { tool, tier, rule_id, approver_roles, quorum, expires_after_ms, changed_at_ms } = event;
  if (tier === null) overrides.delete(tool);
  else overrides.set(tool, { tool, tier, rule_id, approver_roles, quorum, expires_after_ms, changed_at_ms });
}

function setLifecycle(state: ConfigurationState, event: EventMap['tool_lifecycle_set']): void {
  const { lifecycles } = tenantPart(state, event.meta.tenant_id);
  const ofTool = lifecycles.get(event.tool) ?? new Map();
  lifecycles.set(event.tool, ofTool.set(event.version, event.state));
}

function setCase(state: ConfigurationState, event: EventMap['case_set']): void {
  const { cases } = tenantPart(state, event.meta.tenant_id);
  const { case_id, changed_at_ms } = event;
  const before = cases.get(case_id);
  cases.set(case_id, {
    case_id,
    state: event.state,
    title: event.title ?? before?.title ?? null,
    opened_at_ms: before?.opened_at_ms ?? changed_at_ms,
    changed_at_ms,
  });
}

function readContract(event: EventMap['tool_registered']): ToolContract | undefined {
  try {
    const contract = JSON.parse(event.contract_json) as ToolContract | null;
    return contract?.name === event.name && contract.version === event.version ? contract : undefined;
  } catch {
    return undefined;
  }
}

/** Executors of several lanes announce the same contract: lanes add up while the digest stays, another digest starts anew. */
function register(state: ConfigurationState, event: EventMap['tool_registered']): void {
  const contract = readContract(event);
  const semver = parseSemver(event.version);
  if (!contract || !semver) {
    state.unreadable_registrations++;
    return;
  }
  const { name, version, executor_id, registered_at_ms } = event;
  const digest = contractDigest(contract);
  const versions = state.tools.get(name) ?? [];
  const before = versions.find((known) => known.version === version);
  const lanes = new Set(before?.digest === digest ? [...before.lanes, ...event.lanes] : event.lanes);
  const tool = { name, version, semver, contract, digest, lanes, executor_id, registered_at_ms };
  const others = versions.filter((known) => known !== before);
  state.tools.set(
    name,
    [...others, tool].sort((a, b) => compareSemver(b.semver, a.semver)),
  );
}

/**
 * Folds one event of `configuration-changed` or `tool-registered` into the state, in place, and returns it; events of
 * other topics and records already in it change nothing. Never throws: a contract that cannot be read is counted and left out.
 */
export function evolveConfiguration(state: ConfigurationState, at: PlacedEvent): ConfigurationState {
  if (at.event_type === 'tool_registered') {
    if (at.offset <= state.catalog_offset) return state;
    state.catalog_offset = at.offset;
    register(state, at.event);
    return state;
  }
  if (at.topic !== 'configuration-changed' || at.offset <= state.config_offset) return state;
  state.config_offset = at.offset;
  switch (at.event_type) {
    case 'tenant_set':
      setTenant(state, at.event);
      break;
    case 'api_key_set':
      setKey(state, at.event);
      break;
    case 'api_key_revoked':
      revokeKey(state, at.event);
      break;
    case 'tool_policy_set':
      setOverride(state, at.event);
      break;
    case 'tool_lifecycle_set':
      setLifecycle(state, at.event);
      break;
    case 'case_set':
      setCase(state, at.event);
      break;
    default:
  }
  return state;
}
