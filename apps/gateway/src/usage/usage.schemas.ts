import { usageMeasures } from '@countersign/domain';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { queryLimit } from '../lists/page-query.js';

export const usageGroups = ['tool', 'adapter', 'capability', 'adapter,capability', 'agent', 'case', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** A cursor contains the name after which the next page begins: base64url of `u|` and the name. */
export const usageCursor = (name: string): string => Buffer.from(`u|${name}`).toString('base64url');
const cursor = z
  .string()
  .max(2000)
  .transform((encoded, context): string => {
    const text = Buffer.from(encoded, 'base64url').toString();
    if (text.startsWith('u|')) return text.slice(2);
    context.addIssue({ code: 'custom', params: { code: 'cursor' }, message: 'is not a cursor of this API' });
    return z.NEVER;
  });

/** The query of `GET /v1/usage`. */
export const usageQuery = z.strictObject({
  group_by: z.enum(usageGroups).default('tool'),
  from: z.iso.datetime({ offset: true }).optional().describe('rounded down to the hour; default: 30 days before `to`'),
  to: z.iso.datetime({ offset: true }).optional().describe('rounded up to the hour; default: now'),
  tool: z.string().min(1).max(200).optional(),
  agent: z.string().min(1).max(400).optional().describe('id of the principal that called'),
  limit: queryLimit().default(100),
  cursor: cursor.optional(),
});

export type UsageRequest = z.infer<typeof usageQuery>;

const INTERNAL = ['timed', 'duration_us', 'cost_micros'] as const;
type Count = Exclude<(typeof usageMeasures)[number], (typeof INTERNAL)[number]>;
const isCount = (measure: string): measure is Count => !(INTERNAL as readonly string[]).includes(measure);
const counts = Object.fromEntries(usageMeasures.filter(isCount).map((measure) => [measure, z.int()])) as Record<Count, z.ZodInt>;

const rate = z.number().nullable().describe('null if the denominator is 0');
const name = z.string().nullable().optional();

/** Counts of calls under one name, or of all. docs/how-to/usage.md defines each count. */
const usageLine = z.object({
  tool: name,
  adapter: name.describe('null: the tool is not in the catalog'),
  capability: name,
  agent: name,
  case_id: name,
  day: name.describe('UTC'),
  ...counts,
  refused_requests: z.record(z.string(), z.int()).nullable().describe('number by kind; null if this grouping does not have it'),
  success_rate: rate,
  dedup_rate: rate,
  in_doubt_rate: rate,
  permission_violation_rate: rate,
  misclassification_rate: rate,
  repair_rate: rate,
  mean_ms: rate,
  cost_usd: z.number(),
  cost_per_call_usd: rate,
  p50_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
  replay: z
    .object({
      duplicates: z.int(),
      compared: z.int(),
      equal_answers: z.int(),
      correctness: z.number().nullable().describe('equal answers divided by compared answers'),
    })
    .nullable()
    .describe('null if this grouping does not have it'),
});

export type UsageLine = z.infer<typeof usageLine>;

export const usageAnswer = z
  .object({
    starts_at: timeOf,
    ends_at: timeOf,
    from: timeOf.describe('the same as `starts_at`'),
    to: timeOf.describe('the same as `ends_at`'),
    group_by: z.enum(usageGroups),
    agent: z.string().nullable().describe('the agent that the report is limited to; null: all agents'),
    total: usageLine.meta({ id: 'UsageTotal' }),
    items: z.array(usageLine.meta({ id: 'UsageLine' })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Usage' });

export type UsageAnswer = z.infer<typeof usageAnswer>;
