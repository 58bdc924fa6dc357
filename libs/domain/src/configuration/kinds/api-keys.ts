import type { EventMap } from '@countersign/contracts';
import type { ConfigurationState } from '../state/configuration.js';

/** True if an admin of the tenant has a key that is not revoked. */
export function hasAdminKey(state: ConfigurationState, tenant_id: string): boolean {
  for (const key of state.keys_by_id.values())
    if (key.tenant_id === tenant_id && key.revoked_at_ms === null && key.principal.roles.includes('admin')) return true;
  return false;
}

export function setKey(state: ConfigurationState, event: EventMap['api_key_set']): void {
  const { key_id, key_hash, principal, scopes, clearances, purposes, expires_at_ms, created_at_ms } = event;
  if (event.only_if_first && hasAdminKey(state, event.meta.tenant_id)) return;
  const before = state.keys_by_id.get(key_id);
  if (before) state.keys_by_hash.delete(before.key_hash);
  const key = {
    key_id,
    key_hash,
    tenant_id: event.meta.tenant_id,
    principal,
    scopes,
    clearances: clearances ?? [],
    purposes: purposes ?? null,
    expires_at_ms,
    created_at_ms,
    revoked_at_ms: before?.revoked_at_ms ?? null,
    owner: event.owner ?? null,
    name: event.name ?? null,
    key_prefix: event.key_prefix ?? before?.key_prefix ?? null,
    created_by: before?.created_by ?? event.by,
  };
  state.keys_by_id.set(key_id, key);
  if (key_hash !== '') state.keys_by_hash.set(key_hash, key);
}

export function revokeKey(state: ConfigurationState, event: EventMap['api_key_revoked']): void {
  const key = state.keys_by_id.get(event.key_id);
  if (key && key.tenant_id === event.meta.tenant_id) key.revoked_at_ms ??= event.revoked_at_ms;
}
