import { z } from 'zod';
import { principalName, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const requeue = z
  .object({
    requeued_at: timeOf,
    by: principalName,
    reason: z.string(),
  })
  .meta({ id: 'DeadLetterRequeue' });

/** Response for a record that a service could not handle. Its bytes stay on the log. */
export const deadLetterAnswer = z
  .object({
    letter_id: z.string(),
    topic: z.string().describe('position of the record on the log: `topic`, `partition` and `offset`'),
    partition: z.int().min(0),
    offset: z.int().min(0),
    consumer: z.string().describe('the consumer that could not handle it'),
    cause: z.string().describe('the error; for a sealed call only the name of the error'),
    call_id: z.string().nullable(),
    event_id: z.string().nullable().describe('null: the record could not be decoded'),
    value_bytes: z.int().min(0).describe('length of the record; at most 262,144 bytes are stored'),
    dead_lettered_at: timeOf,
    requeue: requeue.nullable().describe('null: the record was not handed to its consumer again'),
    requeue_of: z.string().nullable().describe('letter_id of the dead letter whose requeue failed and caused this one'),
    requeue_refusal: z.string().nullable().describe('why it cannot be handed to its consumer again, and what to do; null: it can'),
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterPage = pageOfItems(deadLetterAnswer).meta({ id: 'DeadLetterPage' });

/** Body of `POST /v1/dead-letters/{letter_id}/requeue`. */
export const requeueRequest = z.strictObject({
  reason: z.string().trim().min(1).max(2000).describe('what was corrected. It is recorded'),
});

export type RequeueRequest = z.infer<typeof requeueRequest>;

export const requeuedLetter = z
  .object({
    letter_id: z.string(),
    ...requeue.shape,
    repeated: z.boolean().describe('true: an earlier request requeued it, and this response is of that one'),
  })
  .meta({ id: 'RequeuedDeadLetter' });

export type RequeuedLetter = z.infer<typeof requeuedLetter>;

export type DeadLetterAnswer = z.infer<typeof deadLetterAnswer>;
