import type { EventMap, SimilarGrant } from '@countersign/contracts';
import { covers, type GrantedCall } from '../../approval/similar.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { KeptGrant } from '../state/tools.js';

export function setGrant(state: ConfigurationState, { meta, grant, revoked, by, changed_at_ms }: EventMap['grant_set']): void {
  const part = tenantPart(state, meta.tenant_id);
  const kept = { grant, revoked, by, changed_at_ms };
  if (grant.saga) {
    part.saga_grants ??= new Map();
    keepSagaGrant(part.saga_grants, grant.saga.saga_id, kept);
    return;
  }
  if (part.grants.get(grant.grant_id)?.revoked && !revoked) return;
  part.grants.set(grant.grant_id, kept);
}

/** The steps of older sagas ask by themselves. */
const SAGA_GRANTS_MAX = 10_000;

/** There is one for each approved saga: those that had expired when a newer one came, and the oldest of too many, are dropped. */
function keepSagaGrant(grants: Map<string, KeptGrant>, saga_id: string, kept: KeptGrant): void {
  const known = grants.get(saga_id);
  if (known && known.grant.from_ms > kept.grant.from_ms) return;
  if (known?.revoked && known.grant.grant_id === kept.grant.grant_id && !kept.revoked) return;
  grants.delete(saga_id);
  for (const [id, { grant }] of grants) if (grant.expires_at_ms <= kept.changed_at_ms || grants.size >= SAGA_GRANTS_MAX) grants.delete(id);
  grants.set(saga_id, kept);
}

/** All kept grants of a tenant, by id. */
export function grantsOfTenant(state: ConfigurationState, tenant_id: string): ReadonlyMap<string, KeptGrant> {
  const part = state.by_tenant.get(tenant_id);
  if (!part?.saga_grants) return part?.grants ?? NONE_KEPT;
  return new Map([...part.grants, ...[...part.saga_grants.values()].map((kept) => [kept.grant.grant_id, kept] as const)]);
}

/** The approval of a whole saga, also a revoked or expired one; undefined: none is known. */
export function sagaGrant(state: ConfigurationState, tenant_id: string, saga_id: string): KeptGrant | undefined {
  return state.by_tenant.get(tenant_id)?.saga_grants?.get(saga_id);
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
const NONE_KEPT: ReadonlyMap<string, KeptGrant> = new Map();
