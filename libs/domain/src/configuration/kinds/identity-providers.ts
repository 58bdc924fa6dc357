import type { EventMap } from '@countersign/contracts';
import { DAY_MS, HOUR_MS } from '../../durations.js';
import type { IdentityProvider } from '../state/access.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

/** Default time that a verified token lets its person vote. */
export const PEOPLE_LIVE_MS = 24 * HOUR_MS;
/** Default time that a verified token lets a delegate vote for its person. */
export const STAND_INS_LIVE_MS = 14 * DAY_MS;

export function setIdentityProvider(state: ConfigurationState, event: EventMap['identity_provider_set']): void {
  const { meta, based_on: _base, by: _by, removed, ...rest } = event;
  // Records from before these fields existed lack them.
  const { people_live_ms = PEOPLE_LIVE_MS, stand_ins_live_ms = STAND_INS_LIVE_MS } = event;
  const fields = { ...rest, people_live_ms, stand_ins_live_ms, sign_in: event.sign_in ?? null };
  const { tenant_id } = meta;
  const { identity_providers, verified_tokens } = tenantPart(state, tenant_id);
  // Forget the tokens verified under the earlier settings: the next token of each person is read with the new settings.
  verified_tokens?.delete(fields.provider_id);
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

/** The provider for a token with this issuer and these audiences; undefined if none or more than one matches. */
export function providerOf(state: ConfigurationState, issuer: string, audiences: readonly string[]): IdentityProvider | undefined {
  const fitting = (state.providers_by_issuer.get(issuer) ?? []).filter((provider) =>
    provider.audiences.some((audience) => audiences.includes(audience)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
