import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const pointer = z
  .string()
  .max(400)
  .regex(/^(\/[^/]*)*$/, 'must be a JSON Pointer; `*` matches every element');
const subject = z
  .string()
  .max(400)
  .regex(/^((\/[^/]*)+|(output|field):(\/[^/]*)*)$/, 'must be a JSON Pointer into the inputs, or output:/… or field:/…');
const field = z.strictObject({
  path: pointer.describe('JSON Pointer; `*` matches every element; empty: the whole document'),
  subjects: z.array(subject).max(20).default([]).describe('where the subjects of this field are; absent: `subjects` of the rule'),
});
const fields = z
  .array(field)
  .max(100)
  .default([{ path: '', subjects: [] }]);

/** The name of a rule. */
export const ruleId = z.string().regex(/^[\w.-]{1,100}$/, 'a rule_id has 1 to 100 letters, digits, ".", "_" and "-"');

/** Body of `PUT /v1/personal-data/{rule_id}`. */
export const personalDataRequest = z.strictObject({
  tools: z.array(z.string().min(1).max(200)).max(200).default([]).describe('globs of the tools that the rule applies to; empty: all'),
  markings: z
    .array(z.string().min(1).max(100))
    .max(50)
    .default([])
    .describe('the rule applies to calls with one of these markings; empty: to all calls'),
  subjects: z.array(subject).max(20).default([]).describe('where the id of the subject is, for example /customer_id'),
  inputs: fields,
  output: fields,
});

export type PersonalDataRequest = z.infer<typeof personalDataRequest>;

const answeredField = z.object({ path: z.string(), subjects: z.array(z.string()) });

/** Response for a personal data rule. */
export const personalRuleAnswer = z
  .object({
    rule_id: z.string(),
    version: z.int().min(1).describe('starts at 1, without gaps'),
    tools: z.array(z.string()),
    markings: z.array(z.string()),
    subjects: z.array(z.string()),
    inputs: z.array(answeredField),
    output: z.array(answeredField),
    by: z.string().describe('the principal that set it'),
    changed_at: timeOf,
  })
  .meta({ id: 'PersonalDataRule' });

export const personalRulePage = pageOfItems(personalRuleAnswer.extend({ etag: z.string() }).meta({ id: 'PersonalDataRuleInForce' })).meta({
  id: 'PersonalDataRulePage',
});

export type PersonalRuleAnswer = z.infer<typeof personalRuleAnswer>;

/** Body of `POST /v1/subjects/{subject_id}/erase`. */
export const eraseRequest = z.strictObject({
  reason: z.string().min(1).max(1000).describe('recorded permanently: it must not contain personal data'),
});

export const erasureAnswer = z
  .object({
    subject: z.string().describe("HMAC of the subject's id under a key of the tenant, hex; never the id"),
    status: z.literal('erased'),
    erased_at: timeOf,
    event_id: z.string().describe('event_id of the erasure record'),
    proof_url: z.string().describe('URL of the proof of that record'),
  })
  .meta({ id: 'Erasure' });

/** Body of `POST /v1/log/drops`. */
export const logDropRequest = z.strictObject({
  keep_months: z.int().min(1).max(1200).describe('records of younger calls are kept, for all tenants'),
  dry_run: z.boolean().default(false).describe('true: only report what would be dropped'),
});

export const logDropAnswer = z
  .object({
    dry_run: z.boolean(),
    before: timeOf.describe('records from this time on are kept'),
    checkpoint_size: z.int().min(1).describe('size of the checkpoint that covers all dropped records'),
    records_below: z.record(z.string(), z.int()).describe('by tree: records below this offset may be dropped'),
    dropped: z
      .object({
        segments: z.int().describe('number of files or partitions that were truncated'),
        bytes: z.number().describe('0 if the log cannot report it'),
      })
      .nullable()
      .describe('null: a dry run'),
    waits_for: z
      .enum(['checkpoint', 'cosignature'])
      .nullable()
      .describe('the drop is recorded; the next request removes the records once this covers it; null: nothing to wait for'),
  })
  .meta({ id: 'LogDrop' });
