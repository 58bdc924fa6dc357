import { DAY_MS, PEOPLE_LIVE_MS, STAND_INS_LIVE_MS } from '@countersign/domain';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { roles } from '../authentication/authenticator.js';
import { pageOfItems } from '../lists/page-query.js';

const claim = z.string().min(1).max(200);
const kind = z.enum(['agent', 'user', 'service']);
/** Only algorithms with asymmetric keys: a shared secret could also forge tokens. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

const signIn = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^\P{C}*$/u, 'has control or invisible characters')
    .describe('shown to the person'),
  client_id: z.string().min(1).max(200),
  client_secret: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/)
    .nullable()
    .default(null)
    .describe('name of the secret (workspace or org) of the client; null: a public client'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/))
    .max(50)
    .default([])
    .describe('requested besides `openid`'),
});

/** Body of `PUT /v1/identity-providers/{provider_id}`. */
export const identityProviderRequest = z
  .strictObject({
    issuer: z.url().max(500),
    audiences: z.array(z.string().min(1).max(500)).min(1).max(20).describe('accepted audiences; a token must have one of them'),
    jwks_uri: z.url().max(500).optional().describe('absent: taken from OpenID discovery'),
    algorithms: z.array(z.enum(algorithms)).min(1).default(['RS256', 'ES256']),
    kind: kind.default('user'),
    subject_claim: claim.default('sub'),
    roles_claim: claim.default('roles'),
    role_mappings: z
      .array(z.strictObject({ value: z.string().min(1).max(200), role: z.enum(roles) }))
      .max(100)
      .default([]),
    default_roles: z.array(z.enum(roles)).max(roles.length).default([]),
    scopes_claim: claim.default('scope'),
    clearances_claim: claim.default('clearances'),
    purposes_claim: claim.default('purposes'),
    people_live_ms: z
      .int()
      .min(60_000)
      .max(30 * DAY_MS)
      .default(PEOPLE_LIVE_MS)
      .describe('how long after the issue of the last verified token a person may vote with its roles, through any channel'),
    stand_ins_live_ms: z
      .int()
      .min(60_000)
      .max(365 * DAY_MS)
      .default(STAND_INS_LIVE_MS)
      .describe('the same for votes that a delegate casts for the person'),
    sign_in: signIn.nullish().describe('the client with which people sign in to the console; absent: nobody does'),
  })
  .meta({ id: 'IdentityProviderSettings' });

export const identityProvider = z
  .object({
    provider_id: z.string(),
    issuer: z.string(),
    audiences: z.array(z.string()),
    jwks_uri: z.string().nullable().describe('null: taken from OpenID discovery'),
    algorithms: z.array(z.string()),
    kind,
    subject_claim: z.string(),
    roles_claim: z.string(),
    role_mappings: z.array(z.object({ value: z.string(), role: z.string() })),
    default_roles: z.array(z.string()),
    scopes_claim: z.string(),
    clearances_claim: z.string(),
    purposes_claim: z.string(),
    people_live_ms: z.int(),
    stand_ins_live_ms: z.int(),
    sign_in: signIn
      .extend({ client_secret: z.string().nullable(), scopes: z.array(z.string()) })
      .nullable()
      .describe('the client with which people sign in to the console; null: nobody does'),
    tenant_id: z.string(),
    changed_at: timeOf,
  })
  .meta({ id: 'IdentityProvider' });

const listed = identityProvider.extend({ etag: z.string() }).meta({ id: 'IdentityProviderListed' });
export const identityProviderPage = pageOfItems(listed).meta({ id: 'IdentityProviderPage' });

export type IdentityProviderRequest = z.infer<typeof identityProviderRequest>;
export type IdentityProviderAnswer = z.infer<typeof identityProvider>;
