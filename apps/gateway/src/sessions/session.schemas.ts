import { z } from 'zod';
import { principalAnswer, timeOf } from '../answers/shared-schemas.js';

/** Body of `POST /v1/session`. */
export const keySignIn = z.strictObject({ key: z.string().min(1).max(200).describe('an API key of a user') }).meta({ id: 'KeySignIn' });

/** Body of `POST /v1/session:link`. */
export const linkSignIn = z
  .strictObject({ token: z.string().min(1).max(200).describe('the token in the fragment of the link') })
  .meta({ id: 'LinkSignIn' });

export const session = z
  .object({
    tenant_id: z.string(),
    principal: principalAnswer.describe('with its roles as of now'),
    signed_in_by: z.enum(['key', 'link', 'openid']),
    key_id: z.string().describe('id of the credential; `jwt:<provider_id>` for a person of an identity provider'),
    request_token: z.string().describe('send it in the header `Countersign-Session` of each request that changes state'),
    started_at: timeOf,
    idle_expires_at: timeOf.describe('the session ends then, unless it is used before'),
    expires_at: timeOf.describe('the session ends then'),
  })
  .meta({ id: 'Session' });

export type SessionAnswer = z.infer<typeof session>;
