import type { components } from '@countersign/client';
import { itemsOf } from '../forms/comma-list.js';

export type Provider = components['schemas']['IdentityProviderListed'];
export type ProviderSettings = components['schemas']['IdentityProviderSettings'];
type Role = NonNullable<ProviderSettings['default_roles']>[number];

/** What a person fills in for an identity provider. */
export interface ProviderForm {
  provider_id: string;
  issuer: string;
  audiences: string;
  roles_claim: string;
  /** A line for each: `value of the claim = role`. */
  role_mappings: string;
  /** Empty: nobody signs in to the console with it. */
  sign_in_name: string;
  client_id: string;
  /** The name of a secret, never its value. */
  client_secret: string;
}

export const EMPTY_PROVIDER: ProviderForm = {
  provider_id: '',
  issuer: '',
  audiences: '',
  roles_claim: 'roles',
  role_mappings: '',
  sign_in_name: '',
  client_id: '',
  client_secret: '',
};
export const PROVIDER_FIELDS = [
  '/issuer',
  '/audiences',
  '/roles_claim',
  '/role_mappings',
  '/sign_in/name',
  '/sign_in/client_id',
  '/sign_in/client_secret',
];

export const providerFormOf = ({ provider_id, issuer, audiences, roles_claim, role_mappings, sign_in }: Provider): ProviderForm => ({
  provider_id,
  issuer,
  audiences: audiences.join(', '),
  roles_claim,
  role_mappings: role_mappings.map(({ value, role }) => `${value} = ${role}`).join('\n'),
  sign_in_name: sign_in?.name ?? '',
  client_id: sign_in?.client_id ?? '',
  client_secret: sign_in?.client_secret ?? '',
});

/** The role stands behind the last `=`: a value may contain one. */
function mappingsOf(text: string): { value: string; role: Role }[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const at = line.lastIndexOf('=');
    return { value: (at < 0 ? line : line.slice(0, at)).trim(), role: (at < 0 ? '' : line.slice(at + 1).trim()) as Role };
  });
}

/** The members that the form does not show, as they are: setting a provider replaces all of it. */
function unshownOf({ jwks_uri, algorithms, kind, subject_claim, default_roles, scopes_claim, ...rest }: Provider) {
  const { clearances_claim, purposes_claim, people_live_ms, stand_ins_live_ms } = rest;
  const lives = { people_live_ms, stand_ins_live_ms };
  const claims = { subject_claim, scopes_claim, clearances_claim, purposes_claim };
  return { kind, algorithms, default_roles, ...claims, ...lives, ...(jwks_uri !== null && { jwks_uri }) } as Partial<ProviderSettings>;
}

/** The body of `PUT /v1/identity-providers/{provider_id}`. */
export function providerRequest(form: ProviderForm, before?: Provider): ProviderSettings {
  const { sign_in_name, client_id, client_secret } = form;
  const signs_in = [sign_in_name, client_id, client_secret].some((text) => text.trim() !== '');
  return {
    ...(before && unshownOf(before)),
    issuer: form.issuer.trim(),
    audiences: itemsOf(form.audiences),
    roles_claim: form.roles_claim.trim(),
    role_mappings: mappingsOf(form.role_mappings),
    ...(signs_in && {
      sign_in: {
        name: sign_in_name.trim(),
        client_id: client_id.trim(),
        client_secret: client_secret.trim() || null,
        scopes: before?.sign_in?.scopes ?? [],
      },
    }),
  } as ProviderSettings;
}
