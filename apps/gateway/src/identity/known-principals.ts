import {
  type ApiKey,
  type ConfigurationState,
  type IdentityProvider,
  isUsable,
  keysOf,
  LOCAL_ISSUER,
  tokenVerifiedAt,
} from '@countersign/domain';

type Kind = ApiKey['principal']['kind'];

/** One identity of a principal: through keys of this installation, or through tokens of an identity provider. */
export interface KnownIdentity {
  source: 'key' | 'oidc';
  issuer: string;
  provider_id: string | null;
  kind: Kind;
  /** Its current roles. */
  roles: string[];
  is_active: boolean;
  /** Issue time of the newest recorded token, epoch ms. */
  last_verified_at_ms: number | null;
}

/** A principal of a tenant, by its id, with all identities. */
export interface KnownPrincipal {
  principal_id: string;
  identities: KnownIdentity[];
  /** Newest last. */
  keys: ApiKey[];
}

const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** Keys of the same kind of principal form one identity. */
function keyIdentities(keys: readonly ApiKey[], now_ms: number): KnownIdentity[] {
  const kinds = [...new Set(keys.map(({ principal }) => principal.kind))];
  return kinds.map((kind) => {
    const usable = keys.filter((key) => key.principal.kind === kind && isUsable(key, now_ms));
    const roles = unique(usable.flatMap(({ principal }) => principal.roles));
    return { source: 'key', issuer: LOCAL_ISSUER, provider_id: null, kind, roles, is_active: usable.length > 0, last_verified_at_ms: null };
  });
}

/** The identity of a provider's person, from its recorded tokens. */
function tokenIdentity(state: ConfigurationState, provider: IdentityProvider, subject: string, now_ms: number): KnownIdentity {
  const known = state.by_tenant.get(provider.tenant_id)?.verified_tokens?.get(provider.provider_id)?.get(subject);
  const live = (verified_at_ms: number) => now_ms - verified_at_ms < provider.people_live_ms;
  const roles = [...(known ?? [])].filter(([role, verified_at_ms]) => role !== '' && live(verified_at_ms)).map(([role]) => role);
  const last_verified_at_ms = tokenVerifiedAt(state, provider, subject) ?? null;
  const { issuer, provider_id, kind } = provider;
  const is_active = last_verified_at_ms !== null && live(last_verified_at_ms);
  return { source: 'oidc', issuer, provider_id, kind, roles: unique(roles), is_active, last_verified_at_ms };
}

/** The principals of a tenant that have or had a key, and people of its identity providers with recorded tokens. */
export function knownPrincipals(state: ConfigurationState, tenant_id: string, now_ms: number): Map<string, KnownPrincipal> {
  const found = new Map<string, KnownPrincipal>();
  const at = (principal_id: string): KnownPrincipal => {
    const known = found.get(principal_id) ?? { principal_id, identities: [], keys: [] };
    found.set(principal_id, known);
    return known;
  };
  for (const key of keysOf(state, tenant_id)) at(key.principal.id).keys.push(key);
  for (const principal of found.values()) principal.identities = keyIdentities(principal.keys, now_ms);
  const { identity_providers, verified_tokens } = state.by_tenant.get(tenant_id) ?? {};
  for (const provider of identity_providers?.values() ?? [])
    for (const subject of verified_tokens?.get(provider.provider_id)?.keys() ?? [])
      at(subject).identities.push(tokenIdentity(state, provider, subject, now_ms));
  return found;
}
