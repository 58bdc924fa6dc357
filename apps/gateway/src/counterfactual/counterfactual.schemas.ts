import { statuses } from '@countersign/calls';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { callError } from '../calls/envelope.schema.js';

const text = z.string().nullable();
const time = timeOf.nullable();

const decided = z
  .object({
    effect: z.enum(['allow', 'deny', 'require_approval', 'defer']).nullable(),
    rule: text,
    tier: text,
    bundle_version: text,
    reason: callError.omit({ details: true }).extend({ details_json: text }).nullable(),
    revision: z.int(),
    status: z.enum(statuses),
    joined_call_id: text,
    approval: z
      .object({
        approval_id: z.string(),
        end: z.enum(['open', 'granted', 'denied', 'expired', 'cancelled']),
        ended_at: time,
      })
      .nullable()
      .describe('null: no approval was needed'),
    started_at: time,
    ended_at: time,
  })
  .meta({ id: 'DecidedCall' });

const comparison = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    version: z.string(),
    case_id: text,
    differences: z.array(z.string()).describe('differences between the two; empty: none'),
    started_earlier_by_ms: z.number().nullable().describe('negative: it started later; null: it did not start in both'),
    result: z
      .object({ kind: z.enum(['recorded', 'recorded_at_another_time', 'replaced', 'identical_call']), call_id: z.string() })
      .nullable()
      .describe('source of its result; null: no result, or an unknown one'),
    unknown: z.array(z.object({ what: z.enum(['ruling', 'result']), why: z.string(), call_id: text })),
    assumed_unchanged: z.array(z.string()).describe('earlier calls of its run with another outcome'),
    requested_at: time,
    recorded: decided,
    counterfactual: decided.nullable().describe('null: the call is left out'),
  })
  .meta({ id: 'CallComparison' });

const limitTrip = z
  .object({
    limit_id: z.string(),
    subject: z.string(),
    per: z.string(),
    call_id: z.string(),
    recorded: z.boolean(),
    counterfactual: z.boolean(),
    at: time,
    used: z.number(),
    asked: z.number(),
    max: z.number(),
  })
  .meta({ id: 'LimitTrip' });

const compared = z.object({
  calls: z.int(),
  unchanged: z.int(),
  unknown: z.int(),
  counts: z.record(z.string(), z.int()).describe('number of calls by difference'),
  refused_votes: z.array(z.object({ approval_id: z.string(), vote_id: z.string(), code: z.string(), reason: z.string() })),
  not_on_record: z.array(z.string()),
  limits: z.array(limitTrip).describe('limits that were exceeded, in the record or in the counterfactual'),
  comparisons: z.array(comparison),
});

export const caseCounterfactual = compared.extend({ case_id: z.string() }).meta({ id: 'CaseCounterfactual' });
export const rangeCounterfactual = compared.extend({ next_cursor: text }).meta({ id: 'RangeCounterfactual' });
