import type { EventMap, SimilarGrant } from '@countersign/contracts';
import { covers, type GrantedCall } from '../../approval/similar.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setGrant(state: ConfigurationState, { meta, grant, revoked, by, changed_at_ms }: EventMap['grant_set']): void {
  const { grants } = tenantPart(state, meta.tenant_id);
  if (grants.get(grant.grant_id)?.revoked && !revoked) return;
  grants.set(grant.grant_id, { grant, revoked, by, changed_at_ms });
}

/** The newest grants that currently satisfy these parts of a call, by the rules of the parts. */
export function grantsFor(
  state: ConfigurationState,
  tenant_id: string,
  rules: readonly string[],
  granted: () => GrantedCall,
): ReadonlyMap<string, SimilarGrant> {
  const grants = state.by_tenant.get(tenant_id)?.grants;
  if (!grants || grants.size === 0) return NO_GRANTS;
  const call = granted();
  const all = [...grants.values()].filter(({ revoked }) => !revoked).sort((a, b) => b.grant.from_ms - a.grant.from_ms);
  const found = new Map<string, SimilarGrant>();
  for (const rule of rules) {
    const grant = all.find((one) => covers(one.grant, call, rule))?.grant;
    if (grant) found.set(rule, grant);
  }
  return found;
}

const NO_GRANTS: ReadonlyMap<string, SimilarGrant> = new Map();
