import type { EventMap } from '@countersign/contracts';
import type { TokenExchange } from '../state/access.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setTokenExchange(state: ConfigurationState, event: EventMap['token_exchange_set']): void {
  const { meta, based_on: _base, by: _by, removed, ...fields } = event;
  const { token_exchanges } = tenantPart(state, meta.tenant_id);
  if (removed) token_exchanges.delete(fields.name);
  else token_exchanges.set(fields.name, fields);
}

export function tokenExchangeOf(state: ConfigurationState, tenant_id: string, name: string): TokenExchange | undefined {
  return state.by_tenant.get(tenant_id)?.token_exchanges.get(name);
}
