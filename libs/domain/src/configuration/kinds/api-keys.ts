import type { EventMap } from '@countersign/contracts';
import type { ConfigurationState } from '../state.js';

export function setKey(state: ConfigurationState, event: EventMap['api_key_set']): void {
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

export function revokeKey(state: ConfigurationState, event: EventMap['api_key_revoked']): void {
  const key = state.keys_by_id.get(event.key_id);
  if (key && key.tenant_id === event.meta.tenant_id) key.revoked_at_ms ??= event.revoked_at_ms;
}
