import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

/** Response for a record that a service could not handle. Its bytes stay on the log. */
export const deadLetterAnswer = z
  .object({
    topic: z.string().describe('position of the record on the log: `topic`, `partition` and `offset`'),
    partition: z.int().min(0),
    offset: z.int().min(0),
    consumer: z.string().describe('the consumer that could not handle it'),
    cause: z.string().describe('the error; for a sealed call only the name of the error'),
    call_id: z.string().nullable(),
    event_id: z.string().nullable().describe('null: the record could not be decoded'),
    value_bytes: z.int().min(0).describe('length of the record; at most 262,144 bytes are stored'),
    dead_lettered_at: timeOf,
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterPage = pageOfItems(deadLetterAnswer).meta({ id: 'DeadLetterPage' });

export type DeadLetterAnswer = z.infer<typeof deadLetterAnswer>;
