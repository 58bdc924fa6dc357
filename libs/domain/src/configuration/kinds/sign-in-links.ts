import type { EventMap } from '@countersign/contracts';
import type { SignInLink } from '../state/access.js';
import type { ConfigurationState } from '../state/configuration.js';

/** Links of one tenant that are remembered. One more forgets the oldest. */
const LINKS_MAX = 100;

export function setSignInLink(state: ConfigurationState, event: EventMap['sign_in_link_set']): void {
  const { meta, by: _by, ...fields } = event;
  const { tenant_id } = meta;
  state.sign_in_links ??= new Map();
  const links = state.sign_in_links;
  if (links.has(fields.token_hash)) return;
  const own = [...links.values()].filter((link) => link.tenant_id === tenant_id);
  for (const link of own) if (link.expires_at_ms <= fields.created_at_ms) links.delete(link.token_hash);
  if (own.length >= LINKS_MAX) links.delete((own[0] as SignInLink).token_hash);
  links.set(fields.token_hash, { ...fields, tenant_id, used_by: null });
}

/** The first use of a link counts, in the order of the log: so of two gateways that use it at once, one wins. */
export function useSignInLink(state: ConfigurationState, event: EventMap['sign_in_link_used']): void {
  for (const link of state.sign_in_links?.values() ?? [])
    if (link.link_id === event.link_id && link.tenant_id === event.meta.tenant_id) link.used_by ??= event.session_id;
}
