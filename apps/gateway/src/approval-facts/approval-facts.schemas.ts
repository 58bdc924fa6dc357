import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

const text = z.string().nullable();
const names = z.array(z.string());
const who = z.object({ kind: z.string(), id: z.string() });

export const requestedBySchema = z
  .object({
    text: z.string().describe('who asks for whom, in words'),
    principal: who,
    owners: names.describe('people who are responsible for the agent'),
    on_behalf_of: who.nullable(),
  })
  .meta({ id: 'ApprovalRequester' });

export const askedPart = z
  .object({
    rule: text,
    text: z.string().describe('the rule in words'),
    described: z.boolean().describe('`text` is the description that the policy gives the rule'),
    approver_roles: names,
    people: names,
    approvals: z.int(),
    quorum: z.int(),
    missing: z.int(),
    met: z.boolean(),
    can_decide: names.describe('people with a usable key who can meet the part now'),
    can_decide_more: z
      .boolean()
      .describe('more people can, whom this list does not have: people of identity providers are known only once they sign in'),
    voted: z.array(z.object({ voter_id: z.string(), vote: z.string(), voted_at: timeOf.nullable(), on_behalf_of: text })),
    barred: z.array(z.object({ id: z.string(), because: z.enum(['requester', 'owner', 'on_behalf_of', 'at_request']), text: z.string() })),
    shortfall: text,
    level: z.int(),
    expires_at: timeOf,
    time_left_ms: z.int(),
    afterwards: z
      .object({ kind: z.enum(['deny', 'escalate']), approver_roles: names, people: names })
      .describe('what happens at `expires_at`'),
  })
  .meta({ id: 'ApprovalAskedPart' });

export const unusualCodes = [
  'inputs_mapped',
  'inputs_edited',
  'first_use_of_tool',
  'first_time_for_resource',
  'amount_above_maximum',
  'amount_far_above_median',
  'agent_new_to_tool',
  'agent_low_trust',
  'tool_low_trust',
  'version_new',
  'version_newly_promoted',
  'contract_changed',
] as const;

export const unusualFact = z
  .object({ code: z.enum(unusualCodes), text: z.string(), details: z.record(z.string(), z.unknown()) })
  .meta({ id: 'ApprovalUnusualFact' });

export const amountFact = z
  .object({
    field: z.string().describe('JSON Pointer into the inputs that run'),
    value: z.number(),
    last_30_days: z.object({
      count: z.int(),
      median: z.number().nullable(),
      maximum: z.number().nullable(),
      complete: z.boolean().describe('false: only the newest calls were compared'),
    }),
  })
  .meta({ id: 'ApprovalAmount', description: 'the amount of the call beside earlier calls of the same tool' });

export const undoTermsSchema = z
  .object({
    possible: z.boolean(),
    by_tool: text,
    within_ms: z.number().nullable().describe('how long after its end; null: without a limit, or not possible'),
    until: timeOf.nullable().describe('set once the effect has happened'),
    text: z.string(),
  })
  .meta({ id: 'ApprovalUndo' });

export const similarApproval = z
  .object({
    approval_id: z.string(),
    call_id: z.string(),
    sentence: z.string(),
    same_inputs: z.boolean(),
    approval_status: z.string(),
    call_status: z.string(),
    requested_at: timeOf,
    decided_at: timeOf.nullable(),
    decided_by: names.describe('people whose approvals or denial counted'),
    reason: text,
  })
  .meta({ id: 'SimilarApproval', description: 'an earlier request for the same tool by the same rule, and how it ended' });

const trusted = z.object({
  score: z.number().nullable(),
  band: z.enum(['unknown', 'low', 'medium', 'high']),
  runs: z.int().describe('runs behind the score'),
  text: z.string(),
  href: z.string().describe('the terms that add up to the score'),
});

export const trustFacts = z
  .object({ tool: trusted, agent: trusted.nullable().describe('null: the caller is no agent') })
  .meta({ id: 'ApprovalTrust' });

/** What an approver must know, computed from recorded facts. */
export const approvalFacts = {
  requested_by: requestedBySchema.nullable(),
  asked_because: z.array(askedPart).describe('why approval is asked: one part for each rule'),
  unusual: z.array(unusualFact),
  amount: amountFact.nullable().describe('null: the tool declares no amount, or it is personal'),
  undo: undoTermsSchema.nullable(),
  similar: z.array(similarApproval),
  trust: trustFacts.nullable(),
  time_left_ms: z.int().describe('until the first unmet part expires; 0 if the request is closed'),
} as const;

const whole = z.object(approvalFacts);
export type ApprovalFacts = z.infer<typeof whole>;
export type RequestedBy = z.infer<typeof requestedBySchema>;
export type AskedPart = z.infer<typeof askedPart>;
export type UnusualFact = z.infer<typeof unusualFact>;
export type AmountFact = z.infer<typeof amountFact>;
export type UndoTerms = z.infer<typeof undoTermsSchema>;
export type SimilarApproval = z.infer<typeof similarApproval>;
export type TrustFacts = z.infer<typeof trustFacts>;
