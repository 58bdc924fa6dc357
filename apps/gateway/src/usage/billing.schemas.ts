import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { type BillingPeriod, billingPeriod } from './billing-period.js';

/** The query of `GET /v1/usage/billing`. */
export const billingQuery = z.strictObject({
  period: z
    .string()
    .transform((text, context): BillingPeriod => {
      const period = billingPeriod(text);
      if (period) return period;
      context.addIssue({ code: 'custom', params: { code: 'format' }, message: 'must be a month in the form 2026-11' });
      return z.NEVER;
    })
    .describe('a month, `2026-11`, UTC'),
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
  provisional: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: also return a month that is not over, whose numbers still change'),
});

export type BillingRequest = z.infer<typeof billingQuery>;

export const billingPeriods = z
  .object({
    items: z.array(
      z
        .object({
          period: z.string().describe('a month, `2026-11`, UTC'),
          lines: z.int(),
          corrections: z.int().describe('number of lines that correct an earlier month'),
          billable_calls: z.int(),
          cost_usd: z.number(),
          digest: z.string().describe('sha-256 of the lines as NDJSON'),
          told: z.boolean().describe('true: every channel subscribed to `usage.period_closed` has received it'),
          closed_at: timeOf,
        })
        .meta({ id: 'BillingPeriod' }),
    ),
  })
  .meta({ id: 'BillingPeriods' });

export type BillingPeriodAnswer = z.infer<typeof billingPeriods>['items'][number];
