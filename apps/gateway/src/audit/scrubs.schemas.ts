import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

/** Body of `POST /v1/scrubs`. */
export const scrubRequest = z.strictObject({
  views: z.boolean().default(false).describe('also compare all rows of calls and tool_executions with the log'),
});

export type ScrubRequest = z.infer<typeof scrubRequest>;

/** A scrub and its progress. */
export const scrubAnswer = z
  .object({
    run_id: z.string(),
    views: z.boolean().describe('true: rows of calls and tool_executions are compared too'),
    records: z.int().describe('number compared so far, including rows'),
    records_total: z.int(),
    rows: z.int().describe('number of rows compared with the log'),
    damages: z.int(),
    found: z.array(z.string()).describe('the first 20 damages, one sentence each'),
    fault: z.string().nullable().describe('why the comparison stopped early; null: it did not'),
    status: z.enum(['running', 'ended']),
    asked_at: timeOf,
    started_at: timeOf.nullable(),
    ended_at: timeOf.nullable(),
  })
  .meta({ id: 'Scrub' });

export type ScrubAnswer = z.infer<typeof scrubAnswer>;
