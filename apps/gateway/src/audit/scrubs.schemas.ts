import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

/** Body of `POST /v1/scrubs`. */
export const scrubRequest = z.strictObject({
  views: z.boolean().default(false).describe('compare all rows of calls and of tool_executions with the log too'),
});

export type ScrubRequest = z.infer<typeof scrubRequest>;

/** A comparison of the record, as far as it is. */
export const scrubAnswer = z
  .object({
    run_id: z.string(),
    views: z.boolean().describe('with the rows of calls and of tool_executions'),
    records: z.int().describe('compared so far, rows included'),
    records_total: z.int(),
    rows: z.int().describe('rows that were compared with the log'),
    damages: z.int(),
    found: z.array(z.string()).describe('the first 20 damages, a sentence each'),
    fault: z.string().nullable().describe('why it ended before everything was compared; null: it did not'),
    status: z.enum(['running', 'ended']),
    asked_at: timeOf,
    started_at: timeOf.nullable(),
    ended_at: timeOf.nullable(),
  })
  .meta({ id: 'Scrub' });

export type ScrubAnswer = z.infer<typeof scrubAnswer>;
