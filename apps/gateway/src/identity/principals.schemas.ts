import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { roles } from '../authentication/authenticator.js';
import { ListMembers } from '../lists/list-members.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';
import { keyAnswer } from './keys.schemas.js';

const kind = z.enum(['agent', 'user', 'service']);
const source = z.enum(['key', 'oidc']);
const state = z.enum(['active', 'inactive']);
const LAST_USED = 'ISO 8601, UTC, accurate to 10 minutes; null: no recorded use';

const identity = z
  .object({
    source: source.describe('key: API keys of this installation; oidc: tokens of an identity provider'),
    issuer: z.string().describe('`local` for keys, else the issuer of the tokens'),
    provider_id: z.string().nullable(),
    kind,
    roles: z.array(z.string()).describe('current roles'),
    state: state.describe('active: it has a usable key, or a token recent enough to vote with'),
    last_verified_at: timeOf.nullable().describe('issue time of the newest recorded token; null for keys'),
  })
  .meta({ id: 'PrincipalIdentityKnown' });

const { key_id, key_prefix, name, created_at, expires_at, revoked_at } = keyAnswer.shape;
const ownKey = z
  .object({ key_id, key_prefix, name, kind, state: keyAnswer.shape.state, created_at, expires_at, revoked_at })
  .extend({ last_used_at: timeOf.nullable().describe(LAST_USED) })
  .meta({ id: 'PrincipalKey' });

export const principalRecord = z
  .object({
    principal_id: z.string(),
    kinds: z.array(kind).describe('more than one if keys of several kinds have this id'),
    state,
    roles: z.array(z.string()).describe('current roles of all its identities'),
    sources: z.array(source),
    last_seen_at: timeOf.nullable().describe('time of the last recorded use of a key or issue of a token; null: none'),
    identities: z.array(identity),
    keys: z
      .array(ownKey)
      .describe('the newest 100 keys, including revoked and expired ones, without secrets: `GET /v1/keys?principal=` lists all'),
  })
  .meta({ id: 'PrincipalRecord' });

/** Members of a listed principal. */
export const principalMembers = new ListMembers(principalRecord, {
  principal_id: true,
  kinds: true,
  state: true,
  roles: true,
  sources: true,
  last_seen_at: true,
});

/** The query of `GET /v1/principals`. */
export const principalsQuery = pageQuery.extend({
  kind: kind.optional(),
  role: z.enum(roles).optional().describe('only principals that currently have this role'),
  source: source.optional(),
  state: state.optional(),
  ...principalMembers.query,
});

export const principalPage = pageOfItems(principalRecord.partial().meta({ id: 'PrincipalListItem' })).meta({ id: 'PrincipalPage' });

export type PrincipalsQuery = z.infer<typeof principalsQuery>;
export type PrincipalRecord = z.infer<typeof principalRecord>;
