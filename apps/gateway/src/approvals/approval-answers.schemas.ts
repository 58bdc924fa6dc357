import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { approvalFacts } from '../approval-facts/approval-facts.schemas.js';
import { callDecision, callMapping } from '../calls/envelope.schema.js';
import { ListMembers } from '../lists/list-members.js';
import { pageOfItems, pageQuery, queryTime } from '../lists/page-query.js';

const text = z.string().nullable();
const names = z.array(z.string());
const principal = z.object({ kind: z.enum(['agent', 'user', 'service']), id: z.string(), roles: names });

const group = z.object({
  approver_roles: names,
  people: names.describe('ids of principals that may vote regardless of their roles'),
  quorum: z.int(),
  expires_after_ms: z.int(),
});

/** The approval requirement of the rule. */
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
    saga_max_ms: z.int().optional().describe('how long an approval of a whole saga meets this part for its steps; absent or 0: never'),
    saga_open_inputs: names.optional(),
  })
  .meta({ id: 'ApprovalTerms' });

const evidence = z
  .object({
    rule: z.string(),
    tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']),
    bundle_version: z.string(),
    config_offset: z.int(),
    undo_tool: text.describe('the tool that would undo the effect'),
    undo: z.string().describe('description of what an undo would do'),
    trust_score: z.number().nullable(),
    similar: z.array(z.object({ call_id: z.string(), status: z.string(), same_inputs: z.boolean(), requested_at_ms: z.int() })),
  })
  .meta({ id: 'ApprovalEvidence', description: 'what approvers see besides the call, as of the time of the request' });

const edit = z
  .object({
    approval_id: z.string().describe('the request whose inputs were edited'),
    vote_id: z.string(),
    by: principal,
    inputs_digest_before: z.string(),
    also: z
      .object({ idempotency_key: z.string(), discriminating_digest: z.string(), attempt: z.int() })
      .nullable()
      .describe('the idempotency key derived from the edited inputs'),
    diff: z.unknown().describe('JSON Patch (RFC 6902) from the previous inputs to the edited inputs'),
  })
  .meta({ id: 'ApprovalEdit' });

const part = z
  .object({
    rule: text,
    level: z.int().describe('number of escalations before the current group; 0: none'),
    approver_roles: names,
    people: names,
    quorum: z.int(),
    four_eyes: z.boolean(),
    shortfall: text.describe('why the people known at the time of the request cannot meet this part'),
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
    verdict: z.enum(['counted', 'refused']).nullable().describe('null until policy has evaluated the vote'),
    verdict_reason: text,
    in_parts: z
      .array(z.object({ rule: z.string(), on_behalf_of: text.describe('the delegator, if the voter used a delegation') }))
      .describe('the parts that the vote counts in'),
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
    inputs: z.unknown().describe('the inputs to approve'),
    input: z.unknown().describe('the same as `inputs`'),
    mapped_input: z.unknown().optional().describe("`input` after the tenant's mapping: the inputs that run; absent without a mapping"),
    mapping: callMapping.optional().describe('absent without a mapping'),
    inputs_digest: z.string().optional(),
    contract_digest: z.string().optional(),
    decision: callDecision.nullable(),
    principal: principal.optional(),
    on_behalf_of: z.object({ kind: z.string(), id: z.string() }).nullable(),
    context: context.optional().describe('context that the agent sent with the call'),
    markings: names,
    withheld: names.optional().describe('markings that the reader lacks; inputs are withheld'),
  })
  .meta({ id: 'ApprovalCall' });

/** Response for an approval request. */
export const approvalAnswer = z
  .object({
    approval_id: z.string(),
    call_id: z.string(),
    sentence: text.describe(
      'what the call does, in one inert sentence from the contract of its tool and the inputs that run; null for a short time',
    ),
    sentence_from: z
      .enum(['contract', 'inputs', 'withheld'])
      .nullable()
      .describe(
        '`contract`: the tool declares the sentence. `inputs`: made from its title and the inputs that identify the effect. `withheld`: without inputs',
      ),
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
    distinct: z.boolean().describe('each part needs different people'),
    grantable: z.boolean().describe('the approval can include a grant for similar calls'),
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

/** Response for one approval request: with everything that an approver must know. */
export const approvalWithFacts = approvalAnswer
  .extend(approvalFacts)
  .meta({ id: 'ApprovalWithFacts', description: 'an approval request with facts for its approvers, all computed from records' });

/** Members of a listed approval: who may decide, the deadline, the caller and the tool. Excludes the inputs. */
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
  like: z.string().min(1).max(200).optional().describe('an approval_id: lists requests for the same tool from the same rule'),
  requested_after: queryTime.optional().describe('at this time or later'),
  requested_before: queryTime.optional().describe('before this time'),
  principal: z.string().min(1).max(200).optional().describe('id of the caller of the pending call'),
  ...approvalMembers.query,
});

export type ApprovalListQuery = z.infer<typeof approvalListQuery>;

/** The approval request after a vote. After an edit it is the new request for the edited inputs. */
export const votedApproval = approvalAnswer.extend({ vote_id: z.string() }).meta({ id: 'VotedApproval' });

export type ApprovalAnswer = z.infer<typeof approvalAnswer>;
export type ApprovalWithFacts = z.infer<typeof approvalWithFacts>;
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
    status: z.int().describe('HTTP status that a single request would return'),
    problem: problem.optional(),
    approval: votedApproval.optional(),
  })
  .meta({ id: 'VoteOutcome' });

export const voteOutcomes = z.object({ items: z.array(outcome) }).meta({ id: 'VoteOutcomes' });

export type VoteOutcome = z.infer<typeof outcome>;
