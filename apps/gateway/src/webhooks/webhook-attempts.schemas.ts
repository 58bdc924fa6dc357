import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { sendErrors } from '../callbacks/send-result.js';
import { pageOfItems } from '../lists/page-query.js';

/** Response for one delivery attempt, without the content of the notification. */
export const webhookAttemptAnswer = z
  .object({
    message_id: z.string().describe('as in the header `webhook-id`; the same for every attempt'),
    type: z.string().describe('type of the notification; `webhook.test` for a test'),
    attempt: z.int().min(1).describe('starts at 1 again if another gateway takes over'),
    at: timeOf,
    duration_ms: z.int().min(0),
    status: z.int().nullable().describe('status of the response (HTTP or SMTP); null: no response, or the mail was delivered'),
    error: z.enum(sendErrors).nullable().describe('null: the message was delivered'),
    next_attempt_at: timeOf.nullable().describe('null: no further attempt'),
  })
  .meta({ id: 'WebhookAttempt' });

export const webhookAttemptPage = pageOfItems(webhookAttemptAnswer).meta({ id: 'WebhookAttemptPage' });

export type WebhookAttemptAnswer = z.infer<typeof webhookAttemptAnswer>;
