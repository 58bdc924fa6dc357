import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const text = z.string().nullable();

/** Response for a vote delegation. */
export const voteDelegation = z
  .object({
    delegation_id: z.string(),
    to: z.string().describe('id of the principal who votes instead'),
    tools: z.array(z.string()).describe('empty: all tools'),
    reason: z.string(),
    from_issuer: text.describe('issuer of the identity of `from`: local, or the issuer of an identity provider'),
    from: z.object({ id: z.string(), roles: z.array(z.string()) }).describe('the delegator, with its roles at the time of the delegation'),
    starts_at: timeOf,
    expires_at: timeOf,
    from_time: timeOf.describe('the same as `starts_at`'),
    until: timeOf.describe('the same as `expires_at`'),
    changed_at: timeOf,
  })
  .meta({ id: 'VoteDelegation' });

export const voteDelegationPage = pageOfItems(voteDelegation.extend({ etag: z.string() }).meta({ id: 'VoteDelegationInForce' })).meta({
  id: 'VoteDelegationPage',
});

export type VoteDelegationAnswer = z.infer<typeof voteDelegation>;

const grant = z
  .object({
    grant_id: z.string(),
    approval_id: z.string(),
    tool: z.string(),
    version: z.string(),
    contract_digest: z.string(),
    scope: z.enum(['case', 'run', 'tool', 'saga']),
    saga_id: text.describe('with scope saga: the saga whose steps it covers'),
    steps: z.array(z.string()).describe('with scope saga: ids of the steps that it covers'),
    case_id: text,
    run_id: text,
    principal_id: z.string().describe('id of the principal that may make the calls'),
    granted_by: z.array(z.string()),
    rule: z.string().describe('the rule whose approval requirement the grant meets'),
    mapping_version: z.int().nullable(),
    rules: z.array(z.string()).describe('rules of the approval parts that the grant meets'),
    uses: z.int(),
    amounts: z.array(
      z.object({
        path: z.string().describe('JSON Pointer into the inputs'),
        max: z.number().describe('maximum of one call'),
        sum_max: z.number().describe('maximum of the sum over all calls'),
      }),
    ),
    used: z.number().describe('uses that calls have reserved or consumed'),
    status: z.enum(['active', 'revoked', 'expired', 'void']),
    starts_at: timeOf,
    expires_at: timeOf,
    from_time: timeOf.describe('the same as `starts_at`'),
    etag: z.string(),
  })
  .meta({ id: 'Grant' });

export const grantPage = pageOfItems(grant).meta({ id: 'GrantPage' });

export type GrantAnswer = z.infer<typeof grant>;

const quality = z.object({
  decisions: z.int(),
  approvals: z.int(),
  approval_rate: z.number().describe('approvals divided by approvals and denials'),
  approved_unopened: z.int().describe('approvals by people who had not opened the request'),
  median_wait_ms: z.number().nullable().describe('from the request to the vote'),
  median_attention_ms: z.number().nullable().describe('from opening to the vote; only opened requests count'),
  attention_ms: z.number(),
  cost: z.number().nullable().describe('null without `price_of_hour`'),
  cost_per_decision: z.number().nullable(),
  rubber_stamp: z.boolean().describe('true: approves almost everything, unopened or within seconds'),
  reasons: z.array(z.string()),
});
const namedQuality = z.object({ name: z.string(), ...quality.shape }).meta({ id: 'NamedApprovalQuality' });

export const qualityAnswer = z
  .object({
    starts_at: timeOf.describe('start of the period'),
    since: timeOf.describe('the same as `starts_at`'),
    truncated: z.boolean().describe('true: the period has more decisions than the report reads'),
    all: quality.meta({ id: 'ApprovalQuality' }),
    approvers: z.array(namedQuality),
    rules: z.array(namedQuality),
  })
  .meta({ id: 'ApprovalQualityReport' });

export type QualityAnswer = z.infer<typeof qualityAnswer>;
