import type { ToolCall } from '@countersign/contracts';
import { type ConfigurationState, keysOf } from '@countersign/domain';
import { inertText } from '../sentences/inert-text.js';
import type { RequestedBy } from './approval-facts.schemas.js';

const name = (id: string): string => inertText(id, 120).text;

/** The people who are responsible for an agent, from its keys. */
function ownersOf(state: ConfigurationState, tenant_id: string, id: string): string[] {
  const owners = keysOf(state, tenant_id).flatMap(({ principal, owner }) => (principal.id === id && owner !== null ? [owner] : []));
  return [...new Set(owners)];
}

/** Who asks for whom, from the authenticated credential and its keys. */
export function requestedBy(state: ConfigurationState, tenant_id: string, call: ToolCall): RequestedBy {
  const { principal, authority } = call;
  const owners = ownersOf(state, tenant_id, principal.id);
  const user = authority?.on_behalf_of ?? null;
  const kind = principal.kind === 'user' ? 'person' : principal.kind;
  const owned = owners.length > 0 ? ` of ${owners.map(name).join(', ')}` : '';
  const behalf = user === null ? '' : `, on behalf of ${name(user.id)}`;
  return {
    text: `${kind === 'agent' ? 'Agent' : kind === 'service' ? 'Service' : 'Person'} ${name(principal.id)}${owned}${behalf}`,
    principal: { kind: principal.kind, id: principal.id },
    owners,
    on_behalf_of: user && { kind: user.kind, id: user.id },
  };
}

/** Why a person may not approve this request. */
export function barredBecause(
  id: string,
  by: Pick<RequestedBy, 'principal' | 'owners' | 'on_behalf_of'>,
): { because: Barred; text: string } {
  if (id === by.principal.id) return { because: 'requester', text: 'made the call' };
  if (id === by.on_behalf_of?.id) return { because: 'on_behalf_of', text: 'the call is on their behalf' };
  if (by.owners.includes(id)) return { because: 'owner', text: `owns ${name(by.principal.id)}` };
  return { because: 'at_request', text: 'was responsible for the caller when the request was made' };
}

export type Barred = 'requester' | 'owner' | 'on_behalf_of' | 'at_request';
