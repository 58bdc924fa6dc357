import type { EventMap } from '@countersign/contracts';
import type { Limit } from '../../limit/state.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

/** Versions kept in memory; all versions are on the log. */
const VERSIONS_MAX = 100;

export function setLimit(state: ConfigurationState, event: EventMap['limit_set']): void {
  const part = tenantPart(state, event.meta.tenant_id);
  const { meta: _meta, based_on: _base, ...limit } = event;
  const limits = part.limits ?? { active: [], versions: new Map() };
  const versions = [limit, ...(limits.versions.get(limit.limit_id) ?? [])].slice(0, VERSIONS_MAX);
  const others = limits.active.filter((one) => one.limit_id !== limit.limit_id);
  limits.versions.set(limit.limit_id, versions);
  part.limits = { active: limit.removed ? others : [...others, limit], versions: limits.versions };
}

const NONE: readonly Limit[] = [];

/** The limits in force, in the order in which they were set. */
export function limitsOf(state: ConfigurationState, tenant_id: string): readonly Limit[] {
  return state.by_tenant.get(tenant_id)?.limits?.active ?? NONE;
}

/** The versions of a limit, newest first; empty if it never existed. */
export function limitVersions(state: ConfigurationState, tenant_id: string, limit_id: string): readonly Limit[] {
  return state.by_tenant.get(tenant_id)?.limits?.versions.get(limit_id) ?? NONE;
}
