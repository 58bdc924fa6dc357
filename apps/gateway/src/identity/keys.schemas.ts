import { z } from 'zod';
import { principalAnswer, timeOf } from '../answers/shared-schemas.js';
import { roles } from '../authentication/authenticator.js';
import { principalId } from '../authentication/principal-id.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';

const name = z.string().min(1).max(100);

const keyName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^\P{C}*$/u, 'has control or invisible characters');

/** The query of `GET /v1/keys`. */
export const keyListQuery = pageQuery.extend({
  principal: principalId.optional().describe('id of the principal of the keys'),
  state: z.enum(['active', 'expired', 'revoked']).optional(),
});

export type KeyListQuery = z.infer<typeof keyListQuery>;

/** Body of `PATCH /v1/keys/{key_id}`. */
export const keyChange = z.strictObject({ name: keyName.nullable().describe('null removes the name') }).meta({ id: 'KeyChange' });

export type KeyChange = z.infer<typeof keyChange>;

/** Body of `POST /v1/keys`. */
export const keyRequest = z
  .strictObject({
    tenant_id: name.optional().describe('absent: your tenant. Only an admin of tenant `default` may name another'),
    name: keyName.optional().describe('display name of the key'),
    principal: z.strictObject({
      kind: z.enum(['agent', 'user', 'service']),
      id: principalId,
      roles: z.array(z.enum(roles)).min(1).max(roles.length),
    }),
    owner: principalId.optional().describe('id of the person who is responsible for the agent; that person cannot approve its calls'),
    scopes: z.array(z.string().min(1).max(200)).max(100).default([]),
    clearances: z.array(name).max(100).default([]).describe('markings that it may read; `*`: all'),
    purposes: z.array(name).max(100).optional().describe('absent: any purpose'),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'NewKey' });

export const keyAnswer = z
  .object({
    key_id: z.string(),
    tenant_id: z.string(),
    key_prefix: z.string().nullable().describe('the first characters of the key; null: the key is older than this field'),
    name: z.string().nullable().describe('display name of the key'),
    state: z.enum(['active', 'expired', 'revoked']),
    principal: principalAnswer,
    owner: z.string().nullable().describe('id of the person who is responsible for the agent'),
    created_by: principalAnswer,
    scopes: z.array(z.string()).describe('empty: any'),
    clearances: z.array(z.string()).describe('markings that it may read; `*`: all'),
    purposes: z.array(z.string()).nullable().describe('null: any purpose'),
    created_at: timeOf,
    expires_at: timeOf.nullable(),
    revoked_at: timeOf.nullable(),
    last_used_at: timeOf.nullable().describe('ISO 8601, UTC, accurate to 10 minutes; null: no recorded use, or the store is unavailable'),
  })
  .meta({ id: 'Key' });

export const keyPage = pageOfItems(keyAnswer).meta({ id: 'KeyPage' });
export const mintedKey = keyAnswer.extend({ key: z.string().describe('shown once; only its hash is stored') }).meta({ id: 'MintedKey' });

export type KeyRequest = z.infer<typeof keyRequest>;
export type KeyAnswer = z.infer<typeof keyAnswer>;
export type MintedKey = z.infer<typeof mintedKey>;
