import type { EventMap } from '@countersign/contracts';
import type { ApiKey } from '../state/access.js';
import type { ConfigurationState } from '../state/configuration.js';

/** The credential of a producer has no secret: Kafka's ACL on its topic is the secret. No hash of a token is equal to it. */
const NO_HASH = '';
const PREFIX = 'producer:';

/** The id of a producer's credential among the API keys. It is revoked as they are. */
export const producerKeyId = (producer_id: string): string => `${PREFIX}${producer_id}`;

/** The producer whose credential this is; undefined for the key of anyone else. `token_ref` as in `authority.agent_token_ref`. */
export function producerOfToken(token_ref: string): string | undefined {
  const prefix = `key:${PREFIX}`;
  return token_ref.startsWith(prefix) ? token_ref.slice(prefix.length) : undefined;
}

/** The first registration of an id keeps it: its topics belong to that tenant. */
export function setProducer(state: ConfigurationState, event: EventMap['producer_set']): void {
  const { producer_id, principal, scopes, clearances, purposes, owner, name, expires_at_ms, created_at_ms } = event;
  const key_id = producerKeyId(producer_id);
  if (state.keys_by_id.has(key_id)) return;
  state.producers.add(producer_id);
  state.keys_by_id.set(key_id, {
    key_id,
    key_hash: NO_HASH,
    tenant_id: event.meta.tenant_id,
    principal,
    scopes,
    clearances,
    purposes,
    expires_at_ms,
    created_at_ms,
    revoked_at_ms: null,
    owner,
    name,
    key_prefix: null,
    created_by: event.by,
  });
}

/** The credential of a producer, also if it is revoked or expired; undefined if no producer has this id. */
export function producerOf(state: ConfigurationState, producer_id: string): ApiKey | undefined {
  return state.producers.has(producer_id) ? state.keys_by_id.get(producerKeyId(producer_id)) : undefined;
}

/** The ids of a tenant's producers, oldest first, revoked ones too: their topics remain. */
export function producersOf(state: ConfigurationState, tenant_id: string): string[] {
  return [...state.producers].filter((producer_id) => producerOf(state, producer_id)?.tenant_id === tenant_id);
}
