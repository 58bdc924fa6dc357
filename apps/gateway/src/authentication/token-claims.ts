import type { Principal, Rights } from '@countersign/contracts';
import type { IdentityProvider } from '@countersign/domain';
import type { JWTPayload } from 'jose';
import { isPrincipalId } from './principal-id.js';

/** Reads a claim by its name or by a dotted path (`realm_access.roles`). */
function claim(payload: JWTPayload, name: string): unknown {
  if (name in payload) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  return value;
}

/** Reads a list claim: an array of strings, or one space-separated string. Undefined if absent. */
function listed(payload: JWTPayload, name: string): string[] | undefined {
  const value = claim(payload, name);
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' ? value.split(' ').filter((one) => one !== '') : undefined;
}

/** The principal of a verified token by its provider's settings; undefined without a valid subject. A missing claim gives no rights. */
export function principalOf(payload: JWTPayload, provider: IdentityProvider): { principal: Principal; rights: Rights } | undefined {
  const id = claim(payload, provider.subject_claim);
  if (!isPrincipalId(id)) return undefined;
  const values = listed(payload, provider.roles_claim) ?? [];
  const mapped = provider.role_mappings.filter(({ value }) => values.includes(value)).map(({ role }) => role);
  const roles = [...new Set([...provider.default_roles, ...mapped])];
  const rights: Rights = {
    scopes: listed(payload, provider.scopes_claim) ?? [],
    clearances: listed(payload, provider.clearances_claim) ?? [],
    purposes: listed(payload, provider.purposes_claim) ?? null,
  };
  return { principal: { kind: provider.kind, id, roles }, rights };
}

/**
 * The claims of a verified token that the settings of its provider name, without other values of the roles claim than the mapped ones.
 * `principalOf` reads them like the token.
 */
export function keptClaims(payload: JWTPayload, provider: IdentityProvider): Record<string, unknown> {
  const { subject_claim, roles_claim, scopes_claim, clearances_claim, purposes_claim, role_mappings } = provider;
  const kept: Record<string, unknown> = { [subject_claim]: claim(payload, subject_claim) };
  for (const name of [scopes_claim, clearances_claim, purposes_claim]) kept[name] ??= listed(payload, name);
  kept[roles_claim] ??= listed(payload, roles_claim)?.filter((value) => role_mappings.some((mapping) => mapping.value === value));
  for (const [name, value] of Object.entries(kept)) if (value === undefined) delete kept[name];
  return kept;
}
