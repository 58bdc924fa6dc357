import type { DelegationSet, EventMap } from '@countersign/contracts';
import type { StandingDelegation } from '../../approval/voting-right.js';
import { type ConfigurationState, tenantPart } from '../state.js';

export type Delegation = Omit<DelegationSet, 'meta' | 'ended'>;

export function setDelegation(state: ConfigurationState, { meta, ended, ...delegation }: EventMap['delegation_set']): void {
  state.policy_offset = state.config_offset;
  const { delegations } = tenantPart(state, meta.tenant_id);
  if (ended) delegations.delete(delegation.delegation_id);
  else delegations.set(delegation.delegation_id, delegation);
}

/** The delegations that let this person decide about a tool now. */
export function standingFor(
  state: ConfigurationState,
  tenant_id: string,
  ask: { to: string; tool: string; now_ms: number },
): StandingDelegation[] {
  const { to, tool, now_ms } = ask;
  const all = state.by_tenant.get(tenant_id)?.delegations.values() ?? [];
  return [...all].filter(
    (one) => one.to === to && one.from_ms <= now_ms && now_ms < one.until_ms && (one.tools.length === 0 || one.tools.includes(tool)),
  );
}
