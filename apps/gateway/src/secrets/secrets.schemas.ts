import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

/** Body of `PUT /v1/secrets/{scope}/{name}` and of `…/rotate`. */
export const secretRequest = z
  .strictObject({
    value: z.string().min(8, 'at least 8 characters: a shorter one cannot be masked').max(65_536),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'SecretValue' });

/** A secret without its value, which is write-only. */
export const secret = z
  .object({
    name: z.string(),
    scope: z.enum(['user', 'workspace', 'org']),
    user_id: z.string().nullable().describe('id of the user that owns it; null: it belongs to the workspace or the installation'),
    version: z.int().min(1).describe('starts at 1; each new value increments it'),
    created_at: timeOf,
    changed_at: timeOf,
    expires_at: timeOf.nullable(),
    expired: z.boolean(),
  })
  .meta({ id: 'Secret' });

export const secretPage = pageOfItems(secret.extend({ etag: z.string() }).meta({ id: 'SecretListed' })).meta({ id: 'SecretPage' });
export const resolvedSecret = secret
  .extend({ warning: z.string().optional().describe('set for a secret of the whole installation') })
  .meta({ id: 'ResolvedSecret' });
export const rotatedKeys = z
  .object({ key_id: z.string().describe('the new wrapping key'), rewrapped: z.int().min(0).describe('number of values that it now wraps') })
  .meta({ id: 'RotatedKeys' });

export type SecretRequest = z.infer<typeof secretRequest>;
export type SecretAnswer = z.infer<typeof secret>;
export type ResolvedSecret = z.infer<typeof resolvedSecret>;
