import type { EventMap, TokenExchangeSet } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state.js';

/** How a tenant's tools get a credential of this name: the user's token is exchanged for a short-lived one (RFC 8693). */
export type TokenExchange = Omit<TokenExchangeSet, 'meta' | 'based_on' | 'by' | 'removed'>;

export function setTokenExchange(state: ConfigurationState, event: EventMap['token_exchange_set']): void {
  const { meta, based_on: _base, by: _by, removed, ...fields } = event;
  const { token_exchanges } = tenantPart(state, meta.tenant_id);
  if (removed) token_exchanges.delete(fields.name);
  else token_exchanges.set(fields.name, fields);
}

export function tokenExchangeOf(state: ConfigurationState, tenant_id: string, name: string): TokenExchange | undefined {
  return state.by_tenant.get(tenant_id)?.token_exchanges.get(name);
}
