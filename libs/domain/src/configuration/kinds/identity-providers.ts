import type { EventMap, IdentityProviderSet } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state.js';

/** An OpenID provider that a tenant trusts: whose tokens name its principals, and how their claims are read. */
export type IdentityProvider = Omit<IdentityProviderSet, 'meta' | 'based_on' | 'by' | 'removed'> & { tenant_id: string };

export function setIdentityProvider(state: ConfigurationState, event: EventMap['identity_provider_set']): void {
  const { meta, based_on: _base, by: _by, removed, ...fields } = event;
  const { tenant_id } = meta;
  const { identity_providers } = tenantPart(state, tenant_id);
  const before = identity_providers.get(fields.provider_id);
  if (before) forget(state, before);
  identity_providers.delete(fields.provider_id);
  if (removed) return;
  const provider: IdentityProvider = { ...fields, tenant_id };
  identity_providers.set(fields.provider_id, provider);
  state.providers_by_issuer.set(fields.issuer, [...(state.providers_by_issuer.get(fields.issuer) ?? []), provider]);
}

function forget(state: ConfigurationState, provider: IdentityProvider): void {
  const left = (state.providers_by_issuer.get(provider.issuer) ?? []).filter((known) => known !== provider);
  if (left.length > 0) state.providers_by_issuer.set(provider.issuer, left);
  else state.providers_by_issuer.delete(provider.issuer);
}

/** The provider that a token of this issuer and these audiences is for; undefined where there is none, or no single one. */
export function providerOf(state: ConfigurationState, issuer: string, audiences: readonly string[]): IdentityProvider | undefined {
  const fitting = (state.providers_by_issuer.get(issuer) ?? []).filter((provider) =>
    provider.audiences.some((audience) => audiences.includes(audience)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
