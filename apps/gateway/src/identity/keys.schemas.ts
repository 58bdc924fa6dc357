import { z } from 'zod';
import { roles } from '../authentication/authenticator.js';
import { principalId } from '../authentication/principal-id.js';
import { pageOfItems } from '../http/page-query.js';
import { principalAnswer, timeOf } from '../http/shared-schemas.js';

const name = z.string().min(1).max(100);

/** Body of `POST /v1/keys`. */
export const keyRequest = z
  .strictObject({
    tenant_id: name.optional().describe('absent: your own; another only for an admin of tenant `default`'),
    principal: z.strictObject({
      kind: z.enum(['agent', 'user', 'service']),
      id: principalId,
      roles: z.array(z.enum(roles)).min(1).max(roles.length),
    }),
    owner: principalId.optional().describe('principal id of the person who answers for an agent; cannot approve its calls'),
    scopes: z.array(z.string().min(1).max(200)).max(100).default([]),
    clearances: z.array(name).max(100).default([]).describe('markings that it may see; `*` stands for all'),
    purposes: z.array(name).max(100).optional().describe('absent: any purpose'),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'NewKey' });

const key = z
  .object({
    key_id: z.string(),
    tenant_id: z.string(),
    principal: principalAnswer,
    scopes: z.array(z.string()).describe('empty: any'),
    clearances: z.array(z.string()).describe('markings that it may see; `*` stands for all'),
    purposes: z.array(z.string()).nullable().describe('null: any purpose'),
    created_at: timeOf,
    expires_at: timeOf.nullable(),
    revoked_at: timeOf.nullable(),
  })
  .meta({ id: 'Key' });

export const keyPage = pageOfItems(key).meta({ id: 'KeyPage' });
export const mintedKey = key.extend({ key: z.string().describe('shown once; only its hash is kept') }).meta({ id: 'MintedKey' });

export type KeyRequest = z.infer<typeof keyRequest>;
export type KeyAnswer = z.infer<typeof key>;
export type MintedKey = z.infer<typeof mintedKey>;
