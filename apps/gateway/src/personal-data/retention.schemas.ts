import { RETENTION_FLOOR_MONTHS } from '@countersign/domain';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

const MONTHS_MAX = 1200;
const months = z.int().min(RETENTION_FLOOR_MONTHS, `must be at least ${RETENTION_FLOOR_MONTHS} months`).max(MONTHS_MAX);

/** Body of `PUT /v1/retention`. */
export const retentionRequest = z
  .strictObject({
    floor_months: months.default(RETENTION_FLOOR_MONTHS).describe('minimum for every rule'),
    rules: z
      .array(
        z.strictObject({ marking: z.string().min(1).max(100).nullable().default(null).describe('null: data with no other rule'), months }),
      )
      .max(100),
  })
  .superRefine(({ floor_months, rules }, context) => {
    const known = new Set<string | null>();
    for (const [at, rule] of rules.entries()) {
      if (rule.months < floor_months)
        context.addIssue({ code: 'custom', path: ['rules', at, 'months'], message: `is below floor_months (${floor_months})` });
      if (known.has(rule.marking)) context.addIssue({ code: 'custom', path: ['rules', at, 'marking'], message: 'already has a rule' });
      known.add(rule.marking);
    }
  });

export type RetentionRequest = z.infer<typeof retentionRequest>;

/** Optional body of `POST /v1/retention/runs`. */
export const retentionRunRequest = z.preprocess(
  (body) => body ?? {},
  z.strictObject({ dry_run: z.boolean().default(false).describe('true: only report what would be destroyed') }),
);

export type RetentionRunRequest = z.infer<typeof retentionRunRequest>;

/** Response for the retention of encrypted data. */
export const retentionAnswer = z
  .object({
    version: z.int().min(0).describe('0: the tenant has set no retention and keeps data forever'),
    floor_months: z.int(),
    rules: z.array(z.object({ marking: z.string().nullable().describe('null: data with no other rule'), months: z.int() })),
    by: z.string().nullable().describe('the principal that set it'),
    changed_at: timeOf.nullable(),
  })
  .meta({ id: 'Retention' });

export type RetentionAnswer = z.infer<typeof retentionAnswer>;

export const retentionRunAnswer = z
  .object({
    dry_run: z.boolean(),
    cutoffs: z.array(
      z.object({
        markings: z.string().describe('sorted, comma-separated'),
        before_period: z.string().describe('a month as 2026-11, UTC: keys of earlier months are destroyed'),
        keys: z.int().describe('number of keys'),
      }),
    ),
  })
  .meta({ id: 'RetentionRun' });
