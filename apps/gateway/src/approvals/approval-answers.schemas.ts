import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { callDecision, callMapping } from '../calls/envelope.schema.js';
import { ListMembers } from '../lists/list-members.js';
import { pageOfItems, pageQuery, queryTime } from '../lists/page-query.js';

const text = z.string().nullable();
const names = z.array(z.string());
const principal = z.object({ kind: z.enum(['agent', 'user', 'service']), id: z.string(), roles: names });

const group = z.object({
  approver_roles: names,
  people: names.describe('principal ids that may vote whatever their roles'),
  quorum: z.int(),
  expires_after_ms: z.int(),
});

/** Whose approval is asked for, as the rule says it. */
const terms = z
  .object({
    approver_roles: names,
    people: names,
    quorum: z.int(),
    four_eyes: z.boolean(),
    expires_after_ms: z.int(),
    on_expiry: z.enum(['deny', 'escalate']),
    escalate_to: z.array(group),
    reason_required_on_deny: z.boolean(),
    reminders_ms: z.array(z.int()),
    sla_ms: z.int().nullable(),
    grant_max_ms: z.int(),
    distinct: z.boolean(),
  })
  .meta({ id: 'ApprovalTerms' });

const evidence = z
  .object({
    rule: z.string(),
    tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']),
    bundle_version: z.string(),
    config_offset: z.int(),
    undo_tool: text.describe('the tool that would undo the effect'),
    undo: z.string().describe('what an undo would do, in words'),
    trust_score: z.number().nullable(),
    similar: z.array(z.object({ call_id: z.string(), status: z.string(), same_inputs: z.boolean(), requested_at_ms: z.int() })),
  })
  .meta({ id: 'ApprovalEvidence', description: 'what approvers are shown besides the call, frozen when they were asked' });

const edit = z
  .object({
    approval_id: z.string().describe('the request whose inputs were edited'),
    vote_id: z.string(),
    by: principal,
    inputs_digest_before: z.string(),
    also: z
      .object({ idempotency_key: z.string(), discriminating_digest: z.string(), attempt: z.int() })
      .nullable()
      .describe('the key that the edited inputs have by themselves'),
    diff: z.unknown().describe('RFC 6902, from the inputs before to these'),
  })
  .meta({ id: 'ApprovalEdit' });

const part = z
  .object({
    rule: text,
    level: z.int().describe('how many groups had it before the present one'),
    approver_roles: names,
    people: names,
    quorum: z.int(),
    four_eyes: z.boolean(),
    shortfall: text.describe('why the people who were known when it was asked cannot meet it'),
    approvals: z.int(),
    met: z.boolean(),
    requested_at: timeOf,
    expires_at: timeOf,
  })
  .meta({ id: 'ApprovalPart' });

const vote = z
  .object({
    vote_id: z.string(),
    voter_id: text,
    vote: text,
    reason: text,
    verdict: z.enum(['counted', 'refused']).nullable().describe('null while policy has not judged it'),
    verdict_reason: text,
    in_parts: z
      .array(z.object({ rule: z.string(), on_behalf_of: text.describe('whose right was used, by delegation') }))
      .describe('where it counts'),
    voted_at: timeOf.nullable(),
  })
  .meta({ id: 'ApprovalVote' });

const context = z.object({
  agent: text,
  run_id: text,
  step_id: text,
  request_id: text,
  seq: z.int().nullable(),
  iteration: z.int().nullable(),
  rationale: text,
  skill: text,
  step: text,
  rule: text,
  purpose: text,
  safety_mode: z.enum(['normal', 'read_only', 'ask_all']).nullable(),
  run_budget: z.number().nullable(),
  depends_on: names.nullable(),
});

const call = z
  .object({
    tool: text.describe('name of the tool'),
    name: text.describe('the same as `tool`'),
    version: text,
    case_id: text,
    run_id: text,
    status: z.string(),
    inputs: z.unknown().describe('the inputs that are asked about'),
    input: z.unknown().describe('the same as `inputs`'),
    mapped_input: z.unknown().optional().describe("what the tenant's mapping made of `input`, and what runs; absent without a mapping"),
    mapping: callMapping.optional().describe('absent without a mapping'),
    inputs_digest: z.string().optional(),
    contract_digest: z.string().optional(),
    decision: callDecision.nullable(),
    principal: principal.optional(),
    on_behalf_of: z.object({ kind: z.string(), id: z.string() }).nullable(),
    context: context.optional().describe('what the agent says about the call'),
    markings: names,
    withheld: names.optional().describe('markings that the reader lacks: inputs are not shown'),
  })
  .meta({ id: 'ApprovalCall' });

/** A request for approval, as it is answered. */
export const approvalAnswer = z
  .object({
    approval_id: z.string(),
    call_id: z.string(),
    revision: z.int(),
    status: z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled', 'superseded']),
    requested_at: timeOf,
    expires_at: timeOf,
    decision_id: z.string(),
    approver_roles: names,
    quorum: z.int(),
    reversibility: z.string(),
    ruling_digest: z.string(),
    barred: names.describe('principal ids that may not approve'),
    evidence: evidence.nullable(),
    people: names,
    distinct: z.boolean().describe('each part needs people who meet no other'),
    grantable: z.boolean().describe('similar calls can be approved too'),
    level: z.int(),
    terms: terms.nullable(),
    edit: edit.nullable(),
    decided_at: timeOf.nullable(),
    decided_by: text,
    reason: text,
    parts: z.array(part),
    votes: z.array(vote),
    call: call.nullable(),
  })
  .meta({ id: 'Approval' });

/** Members of a listed approval: who may decide, until when, and of the call who asks for what, without the inputs. */
export const approvalMembers = new ListMembers(approvalAnswer, {
  approval_id: true,
  call_id: true,
  revision: true,
  status: true,
  requested_at: true,
  expires_at: true,
  approver_roles: true,
  quorum: true,
  people: true,
  level: true,
  reversibility: true,
  grantable: true,
  decided_at: true,
  decided_by: true,
  reason: true,
  call: ['tool', 'version', 'case_id', 'run_id', 'status', 'principal', 'on_behalf_of', 'markings', 'withheld'],
});

const listedApproval = approvalAnswer
  .partial()
  .extend({ call: call.partial().nullable().optional() })
  .meta({ id: 'ApprovalListItem', description: 'a summary of an approval, or the members that `fields` and `expand` name' });

export const approvalPage = pageOfItems(listedApproval).meta({ id: 'ApprovalPage' });

/** The query of `GET /v1/approvals`. */
export const approvalListQuery = pageQuery.extend({
  status: z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled', 'superseded']).optional(),
  tool: z.string().min(1).max(200).optional(),
  like: z.string().min(1).max(200).optional().describe('an approval_id: requests that the same rule asks about the same tool'),
  requested_after: queryTime.optional().describe('at this time or later'),
  requested_before: queryTime.optional().describe('before this time'),
  principal: z.string().min(1).max(200).optional().describe('id of the caller whose call waits'),
  ...approvalMembers.query,
});

export type ApprovalListQuery = z.infer<typeof approvalListQuery>;

/** The request after a vote: after an edit, the one that asks about the edited inputs. */
export const votedApproval = approvalAnswer.extend({ vote_id: z.string() }).meta({ id: 'VotedApproval' });

export type ApprovalAnswer = z.infer<typeof approvalAnswer>;
export type VotedApproval = z.infer<typeof votedApproval>;

const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    class: z.string(),
    retryable: z.boolean(),
  })
  .describe('a problem document (RFC 9457)');

const outcome = z
  .object({
    approval_id: z.string(),
    status: z.int().describe('as of a request of its own'),
    problem: problem.optional(),
    approval: votedApproval.optional(),
  })
  .meta({ id: 'VoteOutcome' });

export const voteOutcomes = z.object({ items: z.array(outcome) }).meta({ id: 'VoteOutcomes' });

export type VoteOutcome = z.infer<typeof outcome>;
