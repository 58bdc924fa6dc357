import type { DelegationSet, EventMap } from '@countersign/contracts';
import type { StandingDelegation } from '../../approval/voting-right.js';
import { type ConfigurationState, tenantPart } from '../state.js';

export type Delegation = Omit<DelegationSet, 'meta' | 'based_on' | 'ended'>;

export function setDelegation(
  state: ConfigurationState,
  { meta, based_on: _base, ended, ...delegation }: EventMap['delegation_set'],
): void {
  const { delegations } = tenantPart(state, meta.tenant_id);
  if (ended) delegations.delete(delegation.delegation_id);
  else delegations.set(delegation.delegation_id, delegation);
}

/**
 * Whether somebody has lost every key that they had: what they asked of others ends with it. Not where the tenant has
 * identity providers: who has no key (any more) may come by those.
 */
function hasLeft(state: ConfigurationState, tenant_id: string, id: string, now_ms: number): boolean {
  if ((state.by_tenant.get(tenant_id)?.identity_providers.size ?? 0) > 0) return false;
  let known = false;
  for (const { tenant_id: of, principal, revoked_at_ms, expires_at_ms } of state.keys_by_id.values()) {
    if (of !== tenant_id || principal.id !== id) continue;
    if (revoked_at_ms === null && (expires_at_ms === null || now_ms < expires_at_ms)) return false;
    known = true;
  }
  return known;
}

/** The delegations that let this person decide about a tool now. */
export function standingFor(
  state: ConfigurationState,
  tenant_id: string,
  ask: { to: string; tool: string; now_ms: number },
): StandingDelegation[] {
  const { to, tool, now_ms } = ask;
  const all = state.by_tenant.get(tenant_id)?.delegations.values() ?? [];
  return [...all]
    .filter(
      (one) => one.to === to && one.from_ms <= now_ms && now_ms < one.until_ms && (one.tools.length === 0 || one.tools.includes(tool)),
    )
    .filter((one) => !hasLeft(state, tenant_id, one.from.id, now_ms));
}
