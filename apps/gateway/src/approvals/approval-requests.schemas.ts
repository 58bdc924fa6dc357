import { z } from 'zod';
import { principalId } from '../authentication/principal-id.js';
import { queryNumber } from '../lists/page-query.js';

/** Body of `POST /v1/approvals/{approval_id}/votes`. */
export const voteRequest = z.strictObject({
  vote: z.enum(['approve', 'deny', 'edit', 'delegate', 'revoke']),
  reason: z.string().min(1).max(2000).optional(),
  inputs: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('with `edit`: the inputs to run with; a new approval request follows for them'),
  to: principalId.optional().describe('with `delegate`: id of the principal who decides instead'),
  grant: z
    .strictObject({ scope: z.enum(['case', 'run', 'tool']), for_ms: z.int().min(1000), uses: z.int().min(1).max(1000).default(1) })
    .optional()
    .describe(
      'with `approve`: also approve up to `uses` similar calls of the same requester for `for_ms`. Inputs that the tool contract does not mark must be equal',
    ),
});

export type VoteRequest = z.infer<typeof voteRequest>;

const TOGETHER_MAX = 100;

/** Body of `POST /v1/approvals/votes`. */
export const votesRequest = z.strictObject({
  approval_ids: z
    .array(
      z
        .string()
        .min(1)
        .max(200)
        .regex(/^[!-~]+$/, 'has characters that no id has'),
    )
    .min(1)
    .max(TOGETHER_MAX),
  vote: z.enum(['approve', 'deny', 'revoke']),
  reason: z.string().min(1).max(2000).optional(),
});

export type VotesRequest = z.infer<typeof votesRequest>;

/** The query of `GET /v1/decisions`. People open it as a link, so other parameters are ignored. */
export const decisionQuery = z.object({ token: z.string().default('').describe('token of the decision link') });

/** Body of `POST /v1/decisions`. */
export const decisionRequest = z.strictObject({
  token: z.string().min(1).max(2000),
  vote: z.enum(['approve', 'deny']),
  reason: z.string().min(1).max(2000).optional(),
});

export type DecisionRequest = z.infer<typeof decisionRequest>;

const time = z.iso.datetime({ offset: true });

/** Body of `POST /v1/vote-delegations`. */
export const voteDelegationRequest = z
  .strictObject({
    to: principalId.describe('id of the principal who votes instead of you'),
    tools: z.array(z.string().min(1).max(200)).max(100).default([]).describe('empty: all tools'),
    reason: z.string().min(1).max(500).default('out of office'),
    starts_at: time.optional().describe('absent: now'),
    expires_at: time.optional().describe('required, as `expires_at` or as `until`'),
    from_time: time.optional().describe('the same as `starts_at`'),
    until: time.optional().describe('the same as `expires_at`'),
  })
  .refine(({ starts_at, from_time }) => starts_at === undefined || from_time === undefined, {
    path: ['from_time'],
    message: 'is an alias of `starts_at`: send only one of them',
  })
  .refine(({ expires_at, until }) => (expires_at === undefined) !== (until === undefined), {
    path: ['expires_at'],
    message: 'is required: send exactly one of `expires_at` and `until`',
  });

export type VoteDelegationRequest = z.infer<typeof voteDelegationRequest>;

/** Epoch ms; without `from_ms` a delegation takes effect at once. */
export function delegatedTimes(body: VoteDelegationRequest): { from_ms?: number; until_ms: number } {
  const from = body.starts_at ?? body.from_time;
  const until_ms = Date.parse(body.expires_at ?? body.until ?? '');
  return from === undefined ? { until_ms } : { from_ms: Date.parse(from), until_ms };
}

/** The query of `GET /v1/approvals/quality`. */
export const qualityQuery = z.strictObject({
  days: queryNumber({ type: 'integer', minimum: 1, maximum: 366 }).default(30).describe('length of the period in days, up to now'),
  price_of_hour: queryNumber({ type: 'number', minimum: 0, maximum: 1_000_000 }).optional().describe('cost of an hour of an approver'),
});

export type QualityQuery = z.infer<typeof qualityQuery>;
