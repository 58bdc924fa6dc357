import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

/** The name of a credential, as tools declare it, and of a secret. */
export const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

/** Body of `PUT /v1/token-exchanges/{name}`. */
export const tokenExchangeRequest = z
  .strictObject({
    token_endpoint: z.url().max(500),
    client_id: z.string().min(1).max(200),
    client_secret: z
      .string()
      .regex(NAME)
      .describe('name of the secret that the client authenticates with: one of the workspace, because the tenant chooses the endpoint'),
    audience: z.string().min(1).max(500),
    scopes: z.array(z.string().min(1).max(200)).max(50).default([]),
  })
  .meta({ id: 'TokenExchangeSettings' });

export const tokenExchange = z
  .object({
    name: z.string().describe('name of the credential in tool contracts'),
    token_endpoint: z.string(),
    client_id: z.string(),
    client_secret: z.string().describe('name of the secret'),
    audience: z.string(),
    scopes: z.array(z.string()),
    changed_at: timeOf,
  })
  .meta({ id: 'TokenExchange' });

export const tokenExchangePage = pageOfItems(tokenExchange.extend({ etag: z.string() }).meta({ id: 'TokenExchangeListed' })).meta({
  id: 'TokenExchangePage',
});

/** A JSON Web Key Set (RFC 7517). */
export const actorKeys = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'ActorKeys' });

export type TokenExchangeRequest = z.infer<typeof tokenExchangeRequest>;
export type TokenExchangeAnswer = z.infer<typeof tokenExchange>;
