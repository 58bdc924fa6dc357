import type { EventMap } from '@countersign/contracts';
import type { StandingDelegation } from '../../approval/voting-right.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import { rolesLeft } from './people.js';

export function setDelegation(
  state: ConfigurationState,
  { meta, based_on: _base, ended, ...delegation }: EventMap['delegation_set'],
): void {
  const { delegations } = tenantPart(state, meta.tenant_id);
  if (ended) delegations.delete(delegation.delegation_id);
  else delegations.set(delegation.delegation_id, delegation);
}

/**
 * The delegations that currently let this person decide about a tool, with the remaining roles of the delegators. Delegations of people who
 * are not live are excluded.
 */
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
    .flatMap((one) => {
      const { from, from_issuer = null } = one;
      const roles = rolesLeft(state, tenant_id, { issuer: from_issuer, id: from.id }, { roles: from.roles, at_ms: now_ms, as: 'giver' });
      return roles ? [{ ...one, from: { ...from, roles: [...roles] } }] : [];
    });
}
