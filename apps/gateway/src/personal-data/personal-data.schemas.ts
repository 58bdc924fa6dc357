import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const pointer = z
  .string()
  .max(400)
  .regex(/^(\/[^/]*)*$/, 'is a JSON Pointer; * stands for every element');
const subject = z
  .string()
  .max(400)
  .regex(/^((\/[^/]*)+|(output|field):(\/[^/]*)*)$/, 'is a JSON Pointer into the inputs, or output:/… or field:/…');
const field = z.strictObject({
  path: pointer.describe('JSON Pointer; * stands for every element; empty: all of it'),
  subjects: z.array(subject).max(20).default([]).describe('where its subjects are named; absent: as the rule says'),
});
const fields = z
  .array(field)
  .max(100)
  .default([{ path: '', subjects: [] }]);

/** The name of a rule. */
export const ruleId = z.string().regex(/^[\w.-]{1,100}$/, 'a rule is named by 1 to 100 letters, digits, ".", "_" and "-"');

/** Body of `PUT /v1/personal-data/{rule_id}`. */
export const personalDataRequest = z.strictObject({
  tools: z.array(z.string().min(1).max(200)).max(200).default([]).describe('globs of the tools whose calls it is about; empty: all'),
  markings: z.array(z.string().min(1).max(100)).max(50).default([]).describe('calls with one of these; empty: whatever their markings'),
  subjects: z.array(subject).max(20).default([]).describe("where the subject's id stands, for example /customer_id"),
  inputs: fields,
  output: fields,
});

export type PersonalDataRequest = z.infer<typeof personalDataRequest>;

const answeredField = z.object({ path: z.string(), subjects: z.array(z.string()) });

/** What of calls is personal, as it is answered. */
export const personalRuleAnswer = z
  .object({
    rule_id: z.string(),
    version: z.int().min(1).describe('from 1, without gaps'),
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
export const eraseRequest = z.strictObject({ reason: z.string().min(1).max(1000).describe('kept on the record: name nobody in it') });

export const erasureAnswer = z
  .object({
    subject: z.string().describe("HMAC of the subject's id under a key of the tenant, hex; never the id"),
    status: z.literal('erased'),
    erased_at: timeOf,
    event_id: z.string().describe('of the record that says so'),
    proof_url: z.string().describe('where the proof of that record is'),
  })
  .meta({ id: 'Erasure' });

/** Body of `POST /v1/log/drops`. */
export const logDropRequest = z.strictObject({
  keep_months: z.int().min(1).max(1200).describe('records of calls that are younger stay, of all tenants'),
  dry_run: z.boolean().default(false).describe('only says what would go'),
});

export const logDropAnswer = z
  .object({
    dry_run: z.boolean(),
    before: timeOf.describe('records from this time on stay'),
    checkpoint_size: z.int().min(1).describe('the size of the checkpoint that covers everything that goes'),
    records_below: z.record(z.string(), z.int()).describe('by tree: records below this offset may go'),
    dropped: z
      .object({
        segments: z.int().describe('files, or partitions, that were made shorter'),
        bytes: z.number().describe('0 where the log cannot tell'),
      })
      .nullable()
      .describe('null: a dry run'),
    waits_for: z
      .enum(['checkpoint', 'cosignature'])
      .nullable()
      .describe('the drop is on the record; its records go with the next request, once this covers it'),
  })
  .meta({ id: 'LogDrop' });
