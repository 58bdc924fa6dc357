import type { Caller } from '@countersign/calls';
import type { Authority, Principal } from '@countersign/contracts';
import type { OpenSaga } from './open-saga.js';

const NO_RIGHTS: Authority = {
  agent_token_ref: 'saga',
  scopes: null,
  clearances: [],
  purposes: null,
  on_behalf_of: null,
  delegated_user_token_ref: null,
  delegation_id: null,
  sources: [],
  markings: [],
};

function callerOf(tenant_id: string, principal: Principal, authority: Authority): Caller {
  const { agent_token_ref, scopes, clearances } = authority;
  const key_id = agent_token_ref.startsWith('key:') ? agent_token_ref.slice('key:'.length) : agent_token_ref;
  return { tenant_id, key_id, principal, issuer: 'local', scopes: scopes ?? [], clearances, authority };
}

/** The caller of the steps: who started the saga, with the rights of that time. */
export function starterOf({ tenant_id, state }: OpenSaga): Caller {
  return callerOf(tenant_id, state.by, state.authority ?? NO_RIGHTS);
}

/** The caller of compensations: the service identity of the definition, on behalf of the starter. */
export function compensatorOf({ tenant_id, state }: OpenSaga): Caller {
  const authority = state.authority ?? NO_RIGHTS;
  const principal: Principal = { kind: 'service', id: `saga:${state.definition.name}`, roles: ['agent'] };
  return callerOf(tenant_id, principal, { ...authority, on_behalf_of: authority.on_behalf_of ?? state.by });
}
