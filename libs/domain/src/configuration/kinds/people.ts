import type { EventMap } from '@countersign/contracts';
import { type Identity, LOCAL_ISSUER } from '../../approval/subject.js';
import type { ApiKey, IdentityProvider } from '../state/access.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

/** People remembered per provider. Beyond it the person with the least recently recorded token is forgotten. */
const PEOPLE_MAX = 10_000;
/** The pseudo-role of the token itself, beside the roles that it gives. */
const ANY_ROLE = '';

/** The purpose of a token, which determines how recent it must be: to vote, or to let a delegate vote. */
export type LiveAs = 'voter' | 'giver';

export function noteVerifiedToken(state: ConfigurationState, event: EventMap['person_token_verified']): void {
  const { meta, provider_id, subject, roles, verified_at_ms } = event;
  const tenant = tenantPart(state, meta.tenant_id);
  if (tenant.identity_providers.get(provider_id)?.kind !== 'user') return;
  tenant.verified_tokens ??= new Map();
  const people = tenant.verified_tokens.get(provider_id) ?? new Map<string, Map<string, number>>();
  const known = people.get(subject) ?? new Map<string, number>();
  for (const role of [ANY_ROLE, ...roles]) known.set(role, Math.max(known.get(role) ?? 0, verified_at_ms));
  people.delete(subject);
  people.set(subject, known);
  if (people.size > PEOPLE_MAX) people.delete(people.keys().next().value as string);
  tenant.verified_tokens.set(provider_id, people);
}

/**
 * When the newest token that gives a person this role was verified, epoch ms; without a role: the newest token. Undefined: none is
 * recorded.
 */
export function tokenVerifiedAt(
  state: ConfigurationState,
  provider: IdentityProvider,
  subject: string,
  role = ANY_ROLE,
): number | undefined {
  return state.by_tenant.get(provider.tenant_id)?.verified_tokens?.get(provider.provider_id)?.get(subject)?.get(role);
}

/**
 * True if a key is usable at a time. A revoked key is never usable, not even for an action from before its revocation that is judged later.
 */
export const isUsable = ({ revoked_at_ms, expires_at_ms }: Pick<ApiKey, 'revoked_at_ms' | 'expires_at_ms'>, at_ms: number): boolean =>
  revoked_at_ms === null && (expires_at_ms === null || at_ms < expires_at_ms);

function localRoles(state: ConfigurationState, tenant_id: string, id: string, at_ms: number): string[] {
  return [...state.keys_by_id.values()].flatMap((key) => {
    const { principal } = key;
    const isTheirs = key.tenant_id === tenant_id && principal.kind === 'user' && principal.id === id;
    return isTheirs && isUsable(key, at_ms) ? [ANY_ROLE, ...principal.roles] : [];
  });
}

function providerRoles(state: ConfigurationState, provider: IdentityProvider, subject: string, { at_ms, as }: LiveAt): string[] {
  const tokens = state.by_tenant.get(provider.tenant_id)?.verified_tokens?.get(provider.provider_id)?.get(subject);
  const live_ms = as === 'voter' ? provider.people_live_ms : provider.stand_ins_live_ms;
  return [...(tokens ?? [])].filter(([, verified_at_ms]) => at_ms - verified_at_ms < live_ms).map(([role]) => role);
}

interface LiveAt {
  at_ms: number;
  as: LiveAs;
}

/**
 * The current roles of a person; undefined: the person is not live. A local person is live by keys that are neither revoked nor expired; a
 * person of an identity provider while the provider is configured and a recent token was verified. Without an issuer (older records) any
 * identity with the subject counts.
 */
export function liveRolesOf(state: ConfigurationState, tenant_id: string, who: Identity, at: LiveAt): ReadonlySet<string> | undefined {
  const { issuer, id } = who;
  const local = issuer === null || issuer === LOCAL_ISSUER ? localRoles(state, tenant_id, id, at.at_ms) : [];
  const providers = [...(state.by_tenant.get(tenant_id)?.identity_providers.values() ?? [])].filter(
    (provider) => provider.kind === 'user' && (issuer === null || provider.issuer === issuer),
  );
  const roles = new Set([...local, ...providers.flatMap((provider) => providerRoles(state, provider, id, at))]);
  return roles.delete(ANY_ROLE) ? roles : undefined;
}

/** Those of the given roles that a person still has; undefined: the person is not live. */
export function rolesLeft(
  state: ConfigurationState,
  tenant_id: string,
  who: Identity,
  { roles, ...at }: LiveAt & { roles: readonly string[] },
): readonly string[] | undefined {
  const live = liveRolesOf(state, tenant_id, who, at);
  return live && roles.filter((role) => live.has(role));
}
