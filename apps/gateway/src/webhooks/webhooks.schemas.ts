import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { principalId } from '../authentication/principal-id.js';
import { pageOfItems } from '../lists/page-query.js';

/** Body of `POST /v1/webhooks` and `PUT /v1/webhooks/{webhook_id}`. */
export const webhookRequest = z.strictObject({
  channel: z.enum(['webhook', 'slack', 'mail']).default('webhook'),
  url: z.string().min(1).max(2000).describe('http(s), or `mailto:` for mail'),
  types: z
    .array(z.string().regex(/^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/))
    .min(1)
    .max(50)
    .default(['approval.*']),
  description: z.string().max(500).default(''),
  state: z.enum(['active', 'disabled']).default('active'),
  acts_as: z
    .strictObject({
      id: principalId,
      roles: z.array(z.string().min(1).max(100)).min(1).max(20),
      issuer: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('the issuer of the identity provider of the person; absent: a person with a key'),
    })
    .optional()
    .describe('messages carry a link that votes as this person; anyone who reads a message can use it'),
});

export type WebhookRequest = z.infer<typeof webhookRequest>;

/** Response for a notification channel. */
export const webhookAnswer = z
  .object({
    webhook_id: z.string(),
    channel: z.enum(['webhook', 'slack', 'mail']),
    url: z.string(),
    types: z.array(z.string()).describe('notification types, or prefixes such as `approval.*`'),
    description: z.string(),
    acts_as: z
      .object({
        kind: z.enum(['agent', 'user', 'service']),
        id: z.string(),
        roles: z.array(z.string()),
        issuer: z.string().optional().describe('absent: a person with a key'),
      })
      .nullable()
      .describe('messages carry a link that votes as this person'),
    state: z.enum(['active', 'disabled', 'deleted']),
    changed_at: timeOf,
  })
  .meta({ id: 'Webhook' });

export const webhookPage = pageOfItems(webhookAnswer.extend({ etag: z.string() }).meta({ id: 'WebhookInForce' })).meta({
  id: 'WebhookPage',
});

const { acts_as, changed_at, ...written } = webhookAnswer.shape;
const secret = z.string().optional().describe('signing secret (Standard Webhooks), shown once at creation');

export const changedWebhook = z.object({ ...written, acts_as, changed_at, secret }).meta({ id: 'ChangedWebhook' });

export const callbackSecretAnswer = z.object({ secret: z.string() }).meta({ id: 'CallbackSecret' });

export type WebhookAnswer = z.infer<typeof webhookAnswer>;
