import type { EventMap, UserDelegationSet } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state.js';

/** A user's standing word that an agent may act for it. */
export type UserDelegation = Omit<UserDelegationSet, 'meta' | 'based_on' | 'by' | 'revoked'>;

export function setUserDelegation(state: ConfigurationState, event: EventMap['user_delegation_set']): void {
  const { meta, based_on: _base, by: _by, revoked, ...fields } = event;
  const { user_delegations } = tenantPart(state, meta.tenant_id);
  if (revoked) user_delegations.delete(fields.delegation_id);
  else user_delegations.set(fields.delegation_id, fields);
}

/** The newest live delegation of a user to an agent. */
export function delegationOf(
  state: ConfigurationState,
  tenant_id: string,
  between: { user_id: string; agent_id: string },
  now_ms: number,
): UserDelegation | undefined {
  let found: UserDelegation | undefined;
  for (const one of state.by_tenant.get(tenant_id)?.user_delegations.values() ?? []) {
    if (one.user_id !== between.user_id || one.agent_id !== between.agent_id) continue;
    if (one.expires_at_ms !== null && one.expires_at_ms <= now_ms) continue;
    if (!found || one.changed_at_ms >= found.changed_at_ms) found = one;
  }
  return found;
}
