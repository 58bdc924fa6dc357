import type { EventMap } from '@countersign/contracts';
import { LOCAL_ISSUER } from '../../approval/subject.js';
import type { UserDelegation } from '../state/access.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import { isUsable } from './people.js';

export function setUserDelegation(state: ConfigurationState, event: EventMap['user_delegation_set']): void {
  const { meta, based_on: _base, by: _by, revoked, ...set } = event;
  const fields = { ...set, user_issuer: set.user_issuer ?? null };
  const { user_delegations } = tenantPart(state, meta.tenant_id);
  if (revoked) user_delegations.delete(fields.delegation_id);
  else user_delegations.set(fields.delegation_id, fields);
}

/**
 * True if the user of a delegation is still valid: by a usable key, or by a configured provider of the user's issuer. In records without an
 * issuer, a user who has keys needs a usable key; any other user needs a provider.
 */
function isUserValid(state: ConfigurationState, tenant_id: string, { user_id, user_issuer }: UserDelegation, now_ms: number): boolean {
  const keys = [...state.keys_by_id.values()].filter(
    ({ tenant_id: of, principal }) => of === tenant_id && principal.kind === 'user' && principal.id === user_id,
  );
  if (user_issuer === LOCAL_ISSUER || (user_issuer === null && keys.length > 0)) return keys.some((key) => isUsable(key, now_ms));
  const providers = [...(state.by_tenant.get(tenant_id)?.identity_providers.values() ?? [])];
  return providers.some(({ issuer }) => user_issuer === null || issuer === user_issuer);
}

/** The newest valid delegation of a user to an agent. */
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
    if (!isUserValid(state, tenant_id, one, now_ms)) continue;
    if (!found || one.changed_at_ms >= found.changed_at_ms) found = one;
  }
  return found;
}
